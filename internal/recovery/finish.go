package recovery

import (
	"math"
	"time"
)

// finishes are the reasons for which a model or a CLI stops before the work is
// done, in lower case without separators.
var finishes = map[string]Category{
	"length": OutputTruncated, "maxtokens": OutputTruncated, "maxoutputtokens": OutputTruncated,
	"maxcompletiontokens": OutputTruncated, "maxlength": OutputTruncated, "outputlimit": OutputTruncated,

	"modelcontextwindowexceeded": ContextWindow, "contextlengthexceeded": ContextWindow, "contextwindowexceeded": ContextWindow,

	"maxturns": TurnLimit, "errormaxturns": TurnLimit, "maxturnrequests": TurnLimit, "maxiterations": TurnLimit,
	"maxsteps": TurnLimit, "errormaxbudgetusd": TurnLimit, "maxtoolcalls": TurnLimit,

	"contentfilter": Refused, "contentfiltered": Refused, "refusal": Refused, "safety": Refused, "recitation": Refused,
	"blocklist": Refused, "prohibitedcontent": Refused, "spii": Refused, "imagesafety": Refused,

	"malformedfunctioncall": EditError, "unexpectedtoolcall": EditError,
	"errormaxstructuredoutputretries": JSONError,

	// Not looprun's doing: that is known before the event is read.
	"aborted": Crashed, "cancelled": Crashed, "canceled": Crashed,
}

// finishOf is the category of a finish reason that is a failure by itself.
func finishOf(reason string) (Category, bool) {
	c, ok := finishes[plainName(reason)]
	return c, ok
}

// seconds is a duration in seconds, false for what is none.
func seconds(f float64) (time.Duration, bool) {
	if math.IsNaN(f) || math.Abs(f) > 1e9 {
		return 0, false
	}
	return time.Duration(math.Round(f * float64(time.Second))), true
}
