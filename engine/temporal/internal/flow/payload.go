package flow

import "go.temporal.io/sdk/converter"

// DataConverter packs what goes into history: a journal names the same things
// again and again.
func DataConverter() converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), converter.NewZlibCodec(converter.ZlibCodecOptions{}))
}
