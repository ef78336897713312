package recovery

// limitRules tell of a target that has enough of its user.
var limitRules = []rule{
	{
		id: "insufficient-quota", category: QuotaExhausted,
		codes: []string{
			"billingerror", "billinghardlimitreached", "billinglimitreached", "billingnotactive", "budgetexceeded",
			"budgetexceedederror", "creditbalancetoolow", "dailylimitexceeded", "enforcedspendlimitreached",
			"insufficientbalance", "insufficientcredits", "insufficientfunds", "insufficientquota",
			"monthlylimitexceeded", "outofcredits", "paymentrequired", "quotaexceeded", "quotaexceedederror",
			"quotaexhausted", "quotaexhaustederror", "spendlimitreached", "terminalquotaerror", "usagelimit",
			"usagelimiterror", "usagelimitexceeded", "usagelimitreached", "weeklylimitreached",
		},
		unless: clue.throttled,
	},
	{
		id: "quota-exceeded", category: QuotaExhausted,
		words: words(
			`\bquotas?\b[^.\n]{0,40}\b(?:exceeded|exhausted|reached|used up|depleted|insufficient)\b`,
			`\b(?:exceed(?:s|ed|ing)?|exhausted|reached|used up|hit|out of|over|insufficient|no|not enough)\b[^.\n]{0,40}\bquota\b`,
			`\bquota will reset\b`,
		),
		not:    words(`\bdisk quota\b`),
		unless: clue.throttled,
	},
	{
		id: "usage-limit", category: QuotaExhausted,
		words: words(
			`\b(?:usage|session|spend(?:ing)?|credit|budget|plan|daily|weekly|monthly|hourly|\d+[- ]hours?|free(?:[- ]tier)?|opus|sonnet|premium requests?) (?:\w+ ){0,2}limits?\b[^.\n]{0,30}\b(?:reached|exceeded|hit|exhausted|used up)\b`,
			`\b(?:hit|reached|exceed(?:s|ed)?|used up|met)\b (?:your|the|its|their|our|an?|\w+'s)(?: [\w'-]+){0,5} (?:limit|allowance|budget)s?\b`,
			`\blimit reached\b[^\n]{0,6}\bresets?\b`,
			`\bout of (?:extra )?usage\b`,
			`\b(?:budget|allowance) (?:has been |is |was )?(?:exceeded|exhausted|used up|reached)\b`,
		),
		not:    words(`\b(?:rate|token|context|output|turn|step|iteration|call|time|retry|tpm|rpm|size|length|depth|character|line|connection|concurrency|concurrent \w+|per-model) limit`),
		unless: clue.throttled,
	},
	{
		id: "no-credit", category: QuotaExhausted,
		words: words(
			`\bcredit balance\b[^.\n]{0,20}\b(?:too low|insufficient|exhausted|zero)`,
			`\b(?:insufficient|not enough|no more|no remaining|out of|ran out of|requires? more|never purchased|exhausted)\b(?: (?:your|the|account|api))* ?(?:credits?|balance|funds?)\b`,
			`\b(?:balance|credits?|funds) (?:is |are |was |were )?(?:insufficient|too low|exhausted|not enough|used up|depleted)\b`,
			`\b(?:purchase|buy|add) (?:more |extra |prepaid )?credits\b`,
			`\bexceeded\b[^.\n]{0,40}\bcredits\b`,
			`\bpayment (?:is )?required\b`,
			`\bbilling (?:hard )?limit\b`,
			`\b(?:overdue|unpaid) (?:balance|payment|bill|invoice)`,
			`\bin arrears\b`,
			`\bplease recharge\b`,
		),
		unless: clue.throttled,
	},
	{
		id: "rate-limit", category: RateLimited,
		codes: []string{
			"concurrencylimitexceeded", "ratelimit", "ratelimited", "ratelimiterror", "ratelimitexceeded",
			"ratelimitexceedederror", "ratelimitreached", "requestthrottled", "resourceexhausted",
			"resourceexhaustederror", "retryablequotaerror", "slowdown", "throttled", "throttlingerror",
			"throttlingexception", "toomanyrequests", "toomanyrequestserror", "toomanyrequestsexception",
		},
		words: words(
			`\brate[- ]?limit(?:s|ed|er|ing)?(?:[^-\w]|$)`,
			`\btoo many (?:concurrent )?(?:requests|connections|sessions)\b`,
			`\btoo many tokens\b`,
			`\bthrottl`,
			`\bresources? (?:has |have )?(?:been )?exhausted\b`,
			`\bexhausted your capacity\b`,
			`\b(?:requests?|tokens?)[- ]per[- ](?:second|min(?:ute)?|hour)\b`,
			`\btemporarily limiting requests\b`,
			`\bslow down\b`,
			`\blimit\b[^.\n]{0,30}\b(?:this|per|a) minute\b`,
			`\bper-model limit\b`,
			`\brate increased too quickly\b`,
			`\bconcurren(?:cy|t)\b[^.\n]{0,30}\blimit\b`,
			`\bper[-_\s]*minute\b[^.]{0,60}\bquota`,
			`\bquota\b[^.]{0,120}\bper[-_\s]*minute\b`,
			`PerMinutePer`,
		),
	},
}
