package recovery

// A rule is one built-in pattern: an error that bears one of its codes, or
// whose words it matches, is of its category.
type rule struct {
	id       string
	category Category
	codes    []string // in lower case without separators, sorted
	words    expression
	not      expression // what means something else
	unless   func(clue) bool
	// tame rules may be looked for in the words of a run that says it went
	// well: they tell why a run that changed nothing could not.
	tame bool
}

// rules is in order of precedence. What is told apart by the order: a full disk
// speaks of a quota; an unpaired tool call and a full context are refused as
// invalid requests; a cut output names tokens as a full context does; a used-up
// quota comes as 429, as a rate limit does.
var rules = []rule{
	{
		id: "disk-full", category: DiskFull,
		codes: []string{"edquot", "enospc"},
		words: words(`\bENOSPC\b|\bEDQUOT\b|no space left on device|\bdisk (?:is )?full\b|disk quota exceeded`),
		not:   words(`file watchers`),
	},
	{
		id: "session-lost", category: SessionLost,
		codes: []string{"conversationnotfound", "previousresponsenotfound", "sessionnotfound", "sessionnotfounderror", "threadnotfound"},
		words: words(`\bno (?:saved )?(?:session|conversation|thread|rollout|chat)s? (?:was |were )?found\b` +
			`|\b(?:session|conversation|thread|rollout|chat)\b[^.\n]{0,60}\b(?:not found|does not exist|doesn't exist|no longer exists|could not be found|cannot be found|can't be resumed)|\bsession id\b[^.\n]{0,60}\balready in use\b` +
			`|\b(?:error|failed|unable|could not|cannot|can't) (?:when |to )?(?:resum(?:e|ing)|load(?:ing)?|restor(?:e|ing)|find)\b[^.\n]{0,30}\b(?:session|conversation|thread|rollout)\b`),
	},
	{
		id: "tool-pair", category: ToolPair,
		words: words(`\btool_use\b[^\n]{0,80}\bwithout\b[^\n]{0,40}\btool_result` +
			`|\btool_(?:use|result)\b[^\n]{0,120}\b(?:corresponding|unexpected|orphaned|unpaired|duplicate|previous message|preceding)` +
			`|\b(?:unexpected|orphaned|unpaired|missing|duplicate)\b[^\n]{0,40}\btool_(?:use|result|call)` +
			`|\btool_calls?\b[^\n]{0,120}\b(?:must be followed|did not have response|preceding message|without)` +
			`|\bno tool (?:call|output) found for\b` +
			`|function response parts[^\n]{0,80}function call parts` +
			`|function call turn (?:comes|must come) (?:immediately )?after` +
			`|\btool use concurrency\b`),
	},
	{
		id: "output-limit", category: OutputTruncated,
		codes: []string{"maxoutputtokens", "maxoutputtokensexceeded", "maxtokensexceeded", "messageoutputlengtherror", "outputlengtherror", "outputtoolong"},
		words: words(`\boutput tokens? (?:maximum|limit)\b` +
			`|\bmaximum output (?:token|length)` +
			`|\b(?:exceed(?:s|ed)?|reached|hit)\b[^.\n]{0,40}\b(?:output|completion|response) (?:token |length )?(?:limit|maximum)` +
			`|\b(?:output|response) (?:token |length )?limit (?:was |is |has been )?(?:reached|exceeded|hit)` +
			`|\b(?:reason|because|cut|truncated|incomplete|reached|exceeded)\b[^.\n]{0,40}\bmax_(?:output_|completion_)?tokens\b` +
			`|\b(?:response|output|answer|completion|message)\b[^.\n]{0,20}\b(?:was |is )?(?:cut (?:off|short)|truncated)\b` +
			`|\b(?:finish|stop)[_ ]?reason\b\W{0,4}(?:length|max_tokens)\b`),
		not: words(`\bmax_(?:output_|completion_)?tokens\b[^.\n]{0,40}\b(?:must|should|invalid|too large|greater|less)\b|exceed context`),
	},
	{
		id: "token-limit", category: ContextWindow,
		codes: []string{
			"contextexceeded", "contextlengtherror", "contextlengthexceeded", "contextlengthexceedederror", "contextlimitexceeded",
			"contextoverflow", "contextoverflowerror", "contextwindowexceeded", "contextwindowexceedederror", "inputtoolong",
			"inputtoolarge", "maxcontextlengthexceeded", "modelcontextwindowexceeded", "prompttoolong", "requesttoolarge",
			"stringabovemaxlength", "tokenlimitexceeded",
		},
		words: words(`\bcontext (?:length|window|limit|size)\b[^.\n]{0,40}\b(?:exceed\w*|reached|full|overflow\w*|exhausted|too (?:long|large))|\bcontext window is\b[^.\n]{0,60}\brequested\b` +
			`|\b(?:exceed(?:s|ed|ing)?|larger than|longer than|too (?:long|large|big) for|ran out of|out of room|beyond|overflow(?:s|ed)?|exhausted|maximum|max|full)\b[^.\n]{0,60}\bcontext (?:length|window|limit|size)\b` +
			`|\bcontext[-_ ](?:length|window)[-_ ](?:exceeded|overflow)` +
			`|\b(?:prompt|input|conversation|message|messages|history|transcript|session|request|string)\b(?: (?:is|are|was|has become))? too (?:long|large)\b` +
			`|\b(?:input|prompt)(?: token)?s?(?: token)?(?: count)?\b[^.\n]{0,60}\bexceeds? (?:the )?(?:maximum|max|limit|configured|context|model)` +
			`|\btoo many (?:input|prompt) tokens\b` +
			`|\btokens? > \d+ (?:maximum|limit)` +
			`|\breduce (?:the length of|your|the size of) (?:the )?(?:message|messages|prompt|input)` +
			`|\binput or output tokens must be reduced` +
			`|\b(?:usage|credits?) (?:is |are )?required for (?:long|1m) context` +
			`|\bhas hit a token limit\b`),
		not: words(`exceeded output limit`),
	},
	{
		id: "insufficient-quota", category: QuotaExhausted,
		codes: []string{
			"billingerror", "billingnotactive", "billinghardlimitreached", "billinglimitreached", "budgetexceeded", "budgetexceedederror", "creditbalancetoolow", "dailylimitexceeded",
			"enforcedspendlimitreached", "insufficientbalance", "insufficientcredits", "insufficientfunds", "insufficientquota", "monthlylimitexceeded",
			"outofcredits", "paymentrequired", "quotaexceeded", "quotaexceedederror", "quotaexhausted", "quotaexhaustederror", "spendlimitreached",
			"terminalquotaerror", "usagelimit", "usagelimiterror", "usagelimitexceeded", "usagelimitreached", "weeklylimitreached",
		},
		unless: clue.throttled,
	},
	{
		id: "quota-exceeded", category: QuotaExhausted,
		words: words(`\bquotas?\b[^.\n]{0,40}\b(?:exceeded|exhausted|reached|used up|depleted|insufficient)\b` +
			`|\b(?:exceed(?:s|ed|ing)?|exhausted|reached|used up|hit|out of|over|insufficient|no|not enough)\b[^.\n]{0,40}\bquota\b` +
			`|\bquota will reset\b`),
		not:    words(`\bdisk quota\b`),
		unless: clue.throttled,
	},
	{
		id: "usage-limit", category: QuotaExhausted,
		words: words(`\b(?:usage|session|spend(?:ing)?|credit|budget|plan|daily|weekly|monthly|hourly|\d+[- ]hours?|free(?:[- ]tier)?|opus|sonnet|premium requests?) (?:\w+ ){0,2}limits?\b[^.\n]{0,30}\b(?:reached|exceeded|hit|exhausted|used up)\b` +
			`|\b(?:hit|reached|exceed(?:s|ed)?|used up|met)\b (?:your|the|its|their|our|an?|\w+'s)(?: [\w'-]+){0,5} (?:limit|allowance|budget)s?\b` +
			`|\blimit reached\b[^\n]{0,6}\bresets?\b` +
			`|\bout of (?:extra )?usage\b` +
			`|\b(?:budget|allowance) (?:has been |is |was )?(?:exceeded|exhausted|used up|reached)\b` +
			`|\bfree-models-per-day\b`),
		not:    words(`\b(?:rate|token|context|output|turn|step|iteration|call|time|retry|tpm|rpm|size|length|depth|character|line|connection|concurrency|concurrent \w+|per-model) limit`),
		unless: clue.throttled,
	},
	{
		id: "no-credit", category: QuotaExhausted,
		words: words(`\bcredit balance\b[^.\n]{0,20}\b(?:too low|insufficient|exhausted|zero)` +
			`|\b(?:insufficient|not enough|no more|no remaining|out of|ran out of|requires? more|never purchased|exhausted)\b(?: (?:your|the|account|api))* ?(?:credits?|balance|funds?)\b` +
			`|\b(?:balance|credits?|funds) (?:is |are |was |were )?(?:insufficient|too low|exhausted|not enough|used up|depleted)\b` +
			`|\b(?:purchase|buy|add) (?:more |extra |prepaid )?credits\b` +
			`|\bexceeded\b[^.\n]{0,40}\bcredits\b` +
			`|\bpayment (?:is )?required\b|\bbilling (?:hard )?limit\b|\b(?:overdue|unpaid) (?:balance|payment|bill|invoice)|\bin arrears\b|\bplease recharge\b`),
		unless: clue.throttled,
	},
	{
		id: "rate-limit", category: RateLimited,
		codes: []string{
			"concurrencylimitexceeded", "ratelimit", "ratelimited", "ratelimiterror", "ratelimitexceeded", "ratelimitexceedederror", "ratelimitreached",
			"requestthrottled", "resourceexhausted", "resourceexhaustederror", "retryablequotaerror", "slowdown", "throttled", "throttlingerror", "throttlingexception",
			"toomanyrequests", "toomanyrequestserror", "toomanyrequestsexception",
		},
		words: words(`\brate[- ]?limit(?:s|ed|er|ing)?(?:[^-\w]|$)` +
			`|\btoo many (?:concurrent )?(?:requests|connections|sessions)\b|\btoo many tokens\b` +
			`|\bthrottl` +
			`|\bresources? (?:has |have )?(?:been )?exhausted\b|\bexhausted your capacity\b` +
			`|\b(?:requests?|tokens?)[- ]per[- ](?:second|min(?:ute)?|hour)\b` +
			`|\btemporarily limiting requests\b|\bslow down\b|\blimit\b[^.\n]{0,30}\b(?:this|per|a) minute\b|\bper-model limit\b|\brate increased too quickly\b|\bconcurren(?:cy|t)\b[^.\n]{0,30}\blimit\b` +
			`|\bper[-_\s]*minute\b[^.]{0,60}\bquota|\bquota\b[^.]{0,120}\bper[-_\s]*minute\b|PerMinutePer`),
	},
	{
		id: "content-filter", category: Refused,
		codes: []string{"contentblocked", "contentfilter", "contentfiltered", "contentfiltererror", "contentpolicyviolation", "contentpolicyviolationerror", "moderationblocked", "prohibitedcontent", "promptblocked", "refusal", "responsibleaipolicyviolation", "safetyblocked"},
		words: words(`\b(?:violat\w*|against|breach\w*)\b[^.\n]{0,60}\b(?:usage|content|safety|acceptable use)(?: management)? polic(?:y|ies)\b` +
			`|\bcontent[- _](?:filter(?:ing)?|management|moderation)\b` +
			`|\b(?:safeguards?|safety (?:measures|filters?|system))\b[^.\n]{0,40}\b(?:flag|block|refus|reject)` +
			`|\b(?:blocked|flagged|rejected|refused)\b[^.\n]{0,60}\b(?:safety|moderation|polic(?:y|ies)|harmful)\b` +
			`|\bcan't help with this\b`),
		not: words(`permission|approval|sandbox|organization`),
	},
	{
		id: "overloaded", category: Overloaded,
		codes: []string{
			"badgateway", "engineoverloaded", "engineoverloadederror", "internal", "internalerror", "internalservererror", "internalserverexception", "modeloverloaded",
			"modelnotreadyexception", "overloaded", "overloadederror", "servererror", "serverisoverloaded", "serveroverloaded", "serviceunavailable", "serviceunavailableerror",
			"serviceunavailableexception", "unavailable", "upstreamerror",
		},
		words: words(`\boverload(?:ed|ing)?\b|\b(?:high|heavy) (?:demand|load|traffic)\b|\bat (?:full |max(?:imum)? )?capacity\b|\bcapacity constraints?\b` +
			`|\binternal (?:server )?error\b|\bserver(?:[- ]side)? error\b|\bserver had an error\b|\berror (?:on|from) (?:the|our) (?:server|upstream)` +
			`|\bbad gateway\b|\bservice (?:is )?(?:temporarily |currently )?unavailable\b|\btemporarily (?:unavailable|overloaded|down)\b|\bcurrently unavailable\b` +
			`|\b(?:no healthy|all) upstreams?\b|\bupstream (?:connect |request )?error\b|\bmodel is (?:currently |still )?loading\b|\bnot ready yet\b|\bserver is busy\b`),
	},
	{
		id: "empty-response", category: EmptyResponse,
		codes: []string{"emptyresponse", "emptyresponseerror", "emptystream", "emptystreamerror", "noresponse", "nocontent", "nocontentgeneratederror", "nooutputgeneratederror", "ainocontentgeneratederror", "ainooutputgeneratederror"},
		words: words(`\bempty (?:or malformed )?(?:response|reply|content|answer|message|output|result|completion|stream|assistant)` +
			`|\b(?:no|without(?: any)?|zero) (?:response|content|output|candidates?|text|assistant message|chunks?|completion|choices)\b[^.\n]{0,30}\b(?:returned|received|generated|produced|from)\b` +
			`|\breturned (?:an empty|no|nothing)\b|\b(?:produced|generated|received|got|gave) (?:an empty|no) (?:output|response|content|answer|text)\b|\bresponse (?:was|is) empty\b|\b(?:ended|completed|finished) without (?:any |a )?(?:chunks?|content|output|text|response)|\bno last agent message\b|\bdid not return (?:a |any )?(?:response|content|output)`),
		not: words(`\bno response from (?:the )?(?:api|server)\b`),
	},
	{
		id: "timeout", category: Network,
		codes: []string{
			"apiconnectiontimeouterror", "apitimeouterror", "connecttimeout", "connecttimeouterror", "connectiontimeout", "deadlineexceeded", "etimedout", "gatewaytimeout",
			"headerstimeouterror", "bodytimeouterror", "readtimeout", "readtimeouterror", "requesttimeout", "requesttimeouterror", "timeouterror", "timeoutexception", "upstreamtimeout",
		},
		words: words(`\btim(?:ed|es|e|ing)[- ]?out\b|\btimeout\b|\bdeadline exceeded\b|\bETIMEDOUT\b|\bresponse stalled\b|\bstalled (?:mid|before|while)`),
	},
	{
		id: "connection", category: Network,
		codes: []string{
			"apiconnectionerror", "clientconnectorerror", "connectionaborted", "connectionerror", "connectionrefused", "connectionreset", "connecterror", "eaiagain", "econnaborted",
			"econnrefused", "econnreset", "ehostunreach", "enetunreach", "enotfound", "epipe", "fetcherror", "networkerror", "remoteprotocolerror", "streamerror", "transporterror",
		},
		words: words(`\bE(?:CONN(?:RESET|REFUSED|ABORTED)|NOTFOUND|PIPE|HOSTUNREACH|NETUNREACH)\b|\bEAI_AGAIN\b|\bUND_ERR_|\bERR_(?:NETWORK|CONNECTION|STREAM|HTTP2)` +
			`|\bfetch failed\b|\bfailed to fetch\b|\bsocket hang up\b|\bsocket (?:is |was |has been )?(?:connection (?:is |was ))?(?:closed|disconnected)\b|\bno such host\b|\bdial tcp\b|\bother side closed\b|\bpremature close\b|^\W*terminated\W*$|\bAPI Error: terminated\b` +
			`|\bconnection (?:error|refused|reset|closed|aborted|dropped|lost|terminated|failed|interrupted|failure)\b|\bconnection was (?:closed|reset|lost|refused)\b|\bconnection to \S+ (?:failed|lost|refused|closed)\b|\bconnection reset by peer\b|\bbroken pipe\b` +
			`|\bstream (?:was |has been )?(?:disconnected|closed|ended|interrupted|error)\b|\bstream(?:ing response)? (?:ended|closed) before\b|\bmid-response\b` +
			`|\berror (?:sending request|decoding response body|reading (?:a )?body)\b|\bnetwork (?:error|failure|is unreachable|connection|issue)|\bnetworkerror\b` +
			`|\b(?:can(?:'t|not)|could not|couldn't|unable to|failed to) (?:connect|reach|resolve)\b|\bgetaddrinfo\b|\bname resolution\b|\bno (?:internet )?route\b` +
			`|\b(?:ssl|tls)\b[^.\n]{0,40}\b(?:error|fail\w*|certificate)|\bcertificate (?:verif|has expired|is not)|\blocal issuer certificate\b|\bself[- ]signed certificate\b|\bproxy (?:refused|error|authentication)` +
			`|\bunexpected (?:eof|end of file)\b|\bincomplete chunked read\b|\bpeer closed\b|\b(?:operation|request) was aborted\b|\bno response from (?:the )?(?:api|server)\b|\bhttp/?2\b[^.\n]{0,30}\berror`),
	},
	{
		id: "turn-limit", category: TurnLimit,
		codes: []string{"errormaxbudgetusd", "errormaxturns", "fatalturnlimitederror", "maxiterationsreached", "maxsessionturns", "maxturnrequests", "maxturns", "maxturnsexceeded", "maxturnsreached", "recursionlimit"},
		words: words(`\b(?:max(?:imum)?(?: number of)?|limit of)\b[^.\n]{0,30}\b(?:turns?|iterations|steps|rounds|actions|tool calls)\b` +
			`|\b(?:turn|iteration|step) limit\b|\bmax(?:imum)?[-_ ](?:session[-_ ])?turns?\b|\brecursion limit\b`),
		not: words(`\bmax_turns\b[^.\n]{0,30}\bmust\b`),
	},
	{
		id: "auth", category: Auth,
		codes: []string{
			"accountdeactivated", "accountonhold", "accountsuspended", "auth", "authenticationerror", "authenticationfailed", "authenticationrequired", "autherror", "authrequired", "cloudcredentialerror",
			"credentialsprovidererror", "expiredtoken", "expiredtokenexception", "fatalauthenticationerror", "forbidden", "incorrectapikey", "invalidapikey", "invalidapikeyerror", "invalidauthentication", "invalidgrant",
			"missingapikey", "loadapikeyerror", "ailoadapikeyerror", "oauthorgnotallowed", "permissionerror", "providerautherror", "refreshtokenreused", "tokenexpired", "tokeninvalidated", "tokenrevoked", "unauthenticated",
			"unauthorized", "unauthorizederror", "unrecognizedclientexception",
		},
		words: words(`\b(?:invalid|incorrect|wrong|missing|no|bad|expired|revoked|malformed|unknown|disabled)\b[^.\n]{0,20}\b(?:api[- _]?keys?|auth(?:entication|orization)? (?:token|credentials?|header|information|method)|access token|bearer token|credentials?|oauth)\b` +
			`|\bapi[- _]?key\b[^.\n]{0,40}\b(?:not valid|invalid|not found|not set|not provided|missing|expired|revoked|required|incorrect|disabled|unauthorized|is not)` +
			`|\b(?:not|isn't|aren't) (?:currently )?(?:logged|signed) in\b|/login\b|\b(?:log|sign)(?:ging|ing)? ?in (?:again|first|required)\b|\bplease (?:log|sign) ?in\b|\bmust (?:be )?(?:log|sign)(?:ged|ned)? ?in\b|\bre-?authenticat|\blogin (?:has )?(?:expired|required)\b|\b\w+ auth login\b` +
			`|\bunauthori[sz]ed\b|\bunauthenticated\b|\bnot authenticated\b|\bauthenticat(?:ion|e)\b[^.\n]{0,20}\b(?:failed|error|required|expired|rejected|method)|\bfailed to authenticate\b|\binvalid authentication\b` +
			`|\b(?:oauth|access|refresh|auth|authentication|session|id|bearer) token\b[^.\n]{0,40}\b(?:expired|revoked|invalid(?:ated)?|rejected|missing|used|failed)|\btoken (?:has )?(?:expired|been revoked|been invalidated)|\binvalid[- _]grant\b` +
			`|\bset (?:an?|the|your) [^.\n]{0,30}\b(?:\w+_API_KEY|auth method)\b|\b\w+_API_KEY\b[^.\n]{0,40}\b(?:not set|is not|missing|required|environment variable)` +
			`|\b(?:organization|account|workspace|subscription)\b[^.\n]{0,30}\b(?:disabled|suspended|deactivated|on hold|banned|terminated)|\bdoes not have access to claude\b` +
			`|\b(?:aws|google cloud|azure|default) credentials\b|\bcould not load\b[^.\n]{0,30}\bcredentials\b|\bscope requirement\b|\baccess denied\b`),
		not: words(`\bmcp server\b`),
	},
	{
		id: "permission", category: PermissionDenied, tame: true,
		codes: []string{"approvaldenied", "approvalrequired", "permissiondenied", "permissionrejected", "permissionrejectederror", "tooldenied", "toolrejected"},
		words: words(`\bauto-?reject|\brejected permission\b|\bpermissions? (?:was |were |is |has been )?(?:requested|denied|rejected|refused|not granted|required)\b|\brequested permissions?\b` +
			`|\bhaven't granted\b|\b(?:not|n't)\b[^.\n]{0,30}\btrusted (?:directory|folder|workspace)\b|\b(?:directory|folder|workspace) (?:is )?not trusted\b|\buntrusted (?:directory|folder|workspace)\b` +
			`|\b(?:user|policy|approval|sandbox) (?:has )?(?:denied|rejected|declined|refused)\b|\b(?:denied|rejected|declined|blocked|disallowed) by (?:the |a )?(?:read-only )?(?:user|policy|permission|approval|sandbox|hook)|\bapproval (?:is )?(?:required|denied)\b|\brequires? (?:user |your |manual )?(?:approval|permission|confirmation)\b`),
		not: words(`\bpublickey\b`),
	},
	{
		id: "tool-call", category: EditError, tame: true,
		codes: []string{"invalidtoolarguments", "invalidtoolargumentserror", "aiinvalidtoolargumentserror", "invalidtoolinputerror", "malformedfunctioncall", "nosuchtool", "nosuchtoolerror", "ainosuchtoolerror", "toolnotfound", "toolnotregistered", "unexpectedtoolcall", "unknowntool"},
		words: words(`\b(?:unknown|unsupported|no such|unrecognized|unavailable|nonexistent|invalid|malformed) (?:tool|function)(?: (?:call|name))?\b|\bunsupported call\b` +
			`|\btool\b[^.\n]{0,60}\b(?:not found|does not exist|is not (?:available|registered|defined|known))` +
			`|\b(?:invalid|malformed|broken|unparse?able|bad)\b[^.\n]{0,30}\b(?:tool|function)\b[^.\n]{0,20}\b(?:arguments?|parameters?|input)\b` +
			`|\b(?:arguments?|parameters?|input)\b[^.\n]{0,20}\b(?:for|to|of) (?:the )?(?:tool|function)\b[^\n]{0,60}\b(?:invalid|malformed|missing|not valid|could not be parsed)` +
			`|\b(?:failed to|could not|cannot|unable to) parse\b[^.\n]{0,30}\barguments?\b` +
			`|\bvalidation failed for tool\b|\bInputValidationError\b`),
	},
	{
		id: "edit-multiple-matches", category: EditError, tame: true,
		words: words(`\b(?:string|text|block|snippet|match|occurrences?|old_?string|oldtext|expected \d+)\b[^\n]{0,80}\b(?:found (?:multiple|several|\d{2,}|[2-9]) (?:times|matches|occurrences)|multiple (?:times|matches|occurrences|places)|more than once|not unique|is ambiguous|must be unique)` +
			`|\bfound (?:multiple|several|[2-9]|\d{2,}) (?:matches|occurrences)\b|\bexpected (?:1|one|\d+) occurrences? but found (?:[1-9]\d*)\b|\bmultiple (?:matches|occurrences)\b[^.\n]{0,30}\b(?:found|for)`),
	},
	{
		id: "edit-same-content", category: EditError, tame: true,
		words: words(`\b(?:old|new)_?(?:string|text|str)\b[^\n]{0,80}\b(?:must (?:differ|be different)|identical|(?:exactly )?the same|are equal)` +
			`|\bno changes? (?:to make|to apply|were made|would be made)\b|\bidentical (?:content|to the (?:old|original|existing))|\b(?:exactly )?the same(?: as| content)\b[^.\n]{0,30}\b(?:old|existing|original)`),
	},
	{
		id: "edit-not-found", category: EditError, tame: true,
		words: words(`\b(?:old_?(?:string|text|str)|string to replace|text to (?:replace|find)|search (?:text|block|string|pattern)|hunk|expected lines|context lines?|exact (?:text|match)|SEARCH(?:/REPLACE)? block)\b[^\n]{0,80}\b(?:not found|not match(?:ed)?|failed to match|no match|does not match|didn't match|could not be found|cannot be found|not present)` +
			`|\b(?:could not|couldn't|cannot|failed to|unable to) (?:find|locate|match)\b[^.\n]{0,30}\b(?:old_?string|string|text|expected lines|context|hunk|block|snippet|match)` +
			`|\bno (?:exact )?(?:match(?:es)?|occurrences?) (?:was |were )?found\b|\b0 occurrences (?:were )?found\b|\bSEARCH/REPLACE blocks? failed to match`),
	},
	{
		id: "edit-format", category: EditError, tame: true,
		codes: []string{"applypatcherror", "editerror", "patcherror"},
		words: words(`\bdid not conform to the edit format\b|\bonly \d+ reflections allowed\b|\b(?:edit|diff|patch) format\b[^.\n]{0,20}\b(?:error|invalid|malformed)` +
			`|\b(?:failed|unable|could not) (?:to )?apply\b[^.\n]{0,20}\b(?:patch|diff|edit|hunk)|\bapply_patch\b[^.\n]{0,40}\b(?:fail|error|invalid)|\b(?:invalid|malformed|corrupt) (?:patch|diff|hunk)\b|\bpatch (?:does not apply|failed)\b|\bfailed to (?:write|edit|update) (?:the )?file\b`),
	},
	{
		id: "model-not-found", category: ModelNotFound,
		codes: []string{"deploymentnotfound", "invalidmodel", "invalidmodelerror", "modelnotavailable", "modelnotfound", "modelnotfounderror", "modelnotsupported", "nosuchmodel", "nosuchmodelerror", "ainosuchmodelerror", "providermodelnotfounderror", "unknownmodel", "unsupportedmodel"},
		words: words(`\b(?:model|deployment|engine)\b[^\n]{0,80}?\b(?:does not exist|doesn't exist|do not exist|not found|was not found|could not be found|is not (?:a )?(?:available|supported|recognized|valid|enabled|accessible|known|found)|isn't available|not available|is not a recognized|no longer (?:available|supported)|(?:has been |is |was )?(?:deprecated|retired|decommissioned|shut ?down|restricted))` +
			`|\b(?:unknown|unsupported|unrecognized|no such|nonexistent) model\b|\binvalid model(?: name| id)?\b(?:[^\w]|$)|\bnot a valid model\b|\bissue with the selected model\b` +
			`|\bmodels/[\w.:-]+ is not (?:found|supported)|\bno (?:endpoints|allowed providers) (?:found|are available)|\bno access to (?:the )?model\b|\bnot have access to (?:the )?(?:requested )?model\b|\btry pulling it first\b`),
		not: words(`\bmodel metadata\b`),
	},
	{
		id: "json-parse-error", category: JSONError,
		codes: []string{"jsonparseerror", "aijsonparseerror", "aitypevalidationerror", "errormaxstructuredoutputretries", "invalidjson", "invalidresponsedataerror", "aiinvalidresponsedataerror", "jsondecodeerror", "jsonerror", "structuredoutputerror"},
		words: words(`\b(?:unexpected|invalid|illegal|bad)\b[^.\n]{0,30}\b(?:token|character|control character|end|escape|number)\b[^\n]{0,60}\bjson\b` +
			`|\b(?:unterminated|unexpected) string\b[^.\n]{0,20}\bjson\b|\bunterminated string\b|\bincomplete json\b|\bjson\.parse\b|\bunexpected end of (?:json|input|data)` +
			`|\b(?:invalid|malformed|bad|broken|unparse?able|truncated|corrupt) json\b|\bjson (?:parse|parsing|decode|decoding|syntax|validation) ?(?:error|failed|failure)?\b|\b(?:parse|parsing|decode|decoding) (?:the )?json\b` +
			`|\b(?:not|n't)\b[^.\n]{0,20}\bvalid json\b|\bcould not parse\b[^.\n]{0,40}\bjson\b|\bexpecting value: line\b|\bexpected (?:[',"{}\[\]:]|double-quoted)[^\n]{0,60}\bjson\b|\bin json at position\b|\b(?:stream|response) was malformed\b|\bschema validation\b|\bfailed to parse\b[^.\n]{0,40}\b(?:response|json|output|chunk|event|stream)\b|\btype validation failed\b`),
	},
	{
		id: "tool-unavailable", category: ToolUnavailable, tame: true,
		codes: []string{"commandnotfound", "fatalsandboxerror", "sandboxerror"},
		words: words(`\bcommand not found\b|\bexecutable (?:file )?not found\b|\bis not recognized as an internal or external command\b|^\s*(?:/\S+/)?(?:ba|da|z|k)?sh: (?:\d+: |line \d+: )?\S+: not found` +
			`|\bspawn \S+ E(?:NOENT|ACCES)\b|\b(?:exec|execvp|execve|spawn|posix_spawn)\b[^\n]{0,80}\b(?:no such file or directory|permission denied|enoent)` +
			`|^\s*(?:bwrap|bubblewrap|sandbox-exec|firejail|landlock|codex-linux-sandbox)\b[^\n]{0,120}|\berror running (?:landlock|seatbelt|bwrap)\b|\bsandbox\b[^.\n]{0,40}\b(?:not found|not available|not supported|missing|unavailable|failed to (?:start|initialize|create))` +
			`|\bcannot find (?:module|package)\b|\bmodule not found\b|\b(?:is not|isn't|not) installed\b|\benv: \S+ no such file or directory\b`),
		not: words(`falling back`),
	},
	{
		id: "process-crash", category: Crashed,
		words: words(`\bpanicked at\b|\bpanic: |\bheap out of memory\b|\bheap limit\b|\ballocation failed\b|\bsegmentation fault\b|\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b|\bcore dumped\b|\bFATAL ERROR: |\bfatal runtime error\b|\bstack overflow\b|\bmaximum call stack size\b|\bout of memory\b|\boom-?kill|^\s*killed\s*$|\bcannot allocate memory\b|\billegal instruction\b|\babort trap\b|\bbun has crashed\b`),
	},
	{
		id: "invalid-request", category: InvalidRequest,
		codes: []string{"badrequest", "badrequesterror", "failedprecondition", "invalidargument", "invalidparameter", "invalidparametererror", "invalidrequest", "invalidrequesterror", "invalidvalue", "unprocessableentity", "unprocessableentityerror", "unsupportedparameter", "unsupportedvalue", "validationerror", "validationexception"},
		words: words(`\b(?:invalid|bad|malformed) (?:request|value|argument|parameter|type)\b|\bunsupported (?:parameter|value)\b|\bextra inputs are not permitted\b|\bmax_tokens\b[^.\n]{0,60}\b(?:must|too large|greater|less|maximum)`),
	},
}

func words(expr string) expression { return lazily(`(?im)` + expr) }
