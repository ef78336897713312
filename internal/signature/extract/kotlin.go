package extract

// kotlin reads errors as kotlinc and its Gradle task print them. They stand
// beside Gradle's own account, which does not give the reason.
var kotlin = tool{
	name:  "kotlin",
	marks: []string{"e: "},
	read:  readKotlin,
}

var kotlinError = pattern(`^e: (?:file://)?(\S+\.kts?):(?:\d+:\d+:?| \(\d+, \d+\):) (.*)$`)

func readKotlin(p *page, f *found) {
	for _, lines := range p.streams {
		for _, line := range lines {
			if m := kotlinError().FindStringSubmatch(line); m != nil {
				f.fail(m[1], "kotlin", m[2])
			}
		}
	}
}
