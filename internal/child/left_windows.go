package child

// Left finds nothing: the job object of a run dies with looprun.
func Left([]Proc, []string) (int, error) { return 0, nil }
