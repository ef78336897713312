package record

// ParseCircuit is parseCircuit: the circuit of t that data holds, if it does.
func ParseCircuit(data []byte, t Target) (Circuit, bool) { return parseCircuit(data, t) }
