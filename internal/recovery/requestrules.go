package recovery

// requestRules tell of a request that cannot be answered as it is. A full disk comes
// first, since it speaks of a quota.
var requestRules = []rule{
	{
		id: "disk-full", category: DiskFull,
		codes: []string{"edquot", "enospc"},
		words: words(
			`\bENOSPC\b`,
			`\bEDQUOT\b`,
			`no space left on device`,
			`\bdisk (?:is )?full\b`,
			`disk quota exceeded`,
			`\b(?:not enough|insufficient|out of) (?:free )?(?:disk )?space\b`,
		),
		not: words(`file watchers`),
	},
	{
		id: "session-lost", category: SessionLost,
		codes: []string{
			"conversationnotfound", "previousresponsenotfound", "sessionnotfound", "sessionnotfounderror",
			"threadnotfound",
		},
		words: words(
			`\bno (?:saved )?(?:session|conversation|thread|rollout|chat)s? (?:was |were )?found\b`,
			`\b(?:session|conversation|thread|rollout|chat)\b[^.\n]{0,60}\b(?:not found|does not exist|doesn't exist|no longer exists|could not be found|cannot be found|can't be resumed)`,
			`\bsession id\b[^.\n]{0,60}\balready in use\b`,
			`\b(?:error|failed|unable|could not|cannot|can't) (?:when |to )?(?:resum(?:e|ing)|load(?:ing)?|restor(?:e|ing)|find)\b[^.\n]{0,30}\b(?:session|conversation|thread|rollout)\b`,
		),
	},
	{
		id: "tool-pair", category: ToolPair,
		words: words(
			`\btool_use\b[^\n]{0,80}\bwithout\b[^\n]{0,40}\btool_result`,
			`\btool_(?:use|result)\b[^\n]{0,120}\b(?:corresponding|unexpected|orphaned|unpaired|duplicate|previous message|preceding)`,
			`\b(?:unexpected|orphaned|unpaired|missing|duplicate)\b[^\n]{0,40}\btool_(?:use|result|call)`,
			`\btool_calls?\b[^\n]{0,120}\b(?:must be followed|did not have response|preceding message|without)`,
			`\bno tool (?:call|output) found for\b`,
			`function response parts[^\n]{0,80}function call parts`,
			`function call turn (?:comes|must come) (?:immediately )?after`,
			`\btool use concurrency\b`,
			`\bnumber of (?:function|tool) (?:calls|responses|results)\b`,
		),
	},
	{
		id: "output-limit", category: OutputTruncated,
		codes: []string{
			"maxoutputtokens", "maxoutputtokensexceeded", "maxtokensexceeded", "messageoutputlengtherror",
			"outputlengtherror", "outputtoolong",
		},
		words: words(
			`\boutput tokens? (?:maximum|limit)\b`,
			`\bmaximum output (?:token|length)`,
			`\b(?:exceed(?:s|ed)?|reached|hit)\b[^.\n]{0,40}\b(?:output|completion|response) (?:token |length )?(?:limit|maximum)`,
			`\b(?:output|response) (?:token |length )?limit (?:was |is |has been )?(?:reached|exceeded|hit)`,
			`\b(?:reason|because|cut|truncated|incomplete|reached|exceeded)\b[^.\n]{0,40}\bmax_(?:output_|completion_)?tokens\b`,
			`\b(?:response|output|answer|completion|message)\b[^.\n]{0,20}\b(?:was |is )?(?:cut (?:off|short)|truncated)\b`,
			`\b(?:finish|stop)[_ ]?reason\b\W{0,4}(?:length|max_tokens)\b`,
		),
		not: words(
			`\bmax_(?:output_|completion_)?tokens\b[^.\n]{0,40}\b(?:must|should|invalid|too large|greater|less)\b`,
			`exceed context`,
		),
	},
	{
		id: "token-limit", category: ContextWindow,
		codes: []string{
			"contextexceeded", "contextlengtherror", "contextlengthexceeded", "contextlengthexceedederror",
			"contextlimitexceeded", "contextoverflow", "contextoverflowerror", "contextwindowexceeded",
			"contextwindowexceedederror", "inputtoolarge", "inputtoolong", "maxcontextlengthexceeded",
			"modelcontextwindowexceeded", "prompttoolong", "requesttoolarge", "stringabovemaxlength",
			"tokenlimitexceeded",
		},
		words: words(
			`\bcontext (?:length|window|limit|size)\b[^.\n]{0,40}\b(?:exceed\w*|reached|full|overflow\w*|exhausted|too (?:long|large))`,
			`\bcontext window is\b[^.\n]{0,60}\brequested\b`,
			`\b(?:exceed(?:s|ed|ing)?|(?:larger|longer|greater) than|too (?:long|large|big) for|ran out of|out of room|beyond|overflow(?:s|ed)?|exhausted|maximum|max|full)\b[^.\n]{0,60}\bcontext (?:length|window|limit|size)\b`,
			`\bcontext[-_ ](?:length|window)[-_ ](?:exceeded|overflow)`,
			`\b(?:prompt|input|conversation|message|messages|history|transcript|session|request|string)\b(?: (?:is|are|was|has become))? too (?:long|large)\b`,
			`\b(?:input|prompt)(?: token)?s?(?: token)?(?: count)?\b[^.\n]{0,60}\bexceeds? (?:the )?(?:maximum|max|limit|configured|context|model)`,
			`\btoo many (?:input|prompt) tokens\b`,
			`\btokens? > \d+ (?:maximum|limit)`,
			`\breduce (?:the length of|your|the size of) (?:the )?(?:message|messages|prompt|input)`,
			`\binput or output tokens must be reduced`,
			`\b(?:usage|credits?) (?:is |are )?required for (?:long|1m) context`,
			`\bhas hit a token limit\b`,
			`\bmaximum (?:prompt|input|request) length\b`,
			`\b(?:exceed(?:s|ed)?|over)\b (?:the |this |its |your )?(?:model(?:'s)? |maximum )?token limit\b`,
			`\binput length should be\b`,
			`\bcontext length\b[^\n]{0,40}\bnot enough\b`,
			`\btokens in the (?:prompt|input|messages?)\b[^.\n]{0,40}\b(?:exceed|must be)`,
			`\btokens?\W+\+\W+\w*tokens?\W+must be\b`,
		),
		not: words(`exceeded output limit`),
	},
}
