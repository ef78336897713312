package search

import "strings"

// parseISBN reads an ISBN of either length, in any width and with any hyphens
// and spaces. It returns the 13 digits, so that both forms of one number are
// equal. A number with a wrong check digit is no ISBN.
func parseISBN(text string) (isbn string, ok bool) {
	digits := strings.ReplaceAll(fold(text), " ", "")
	if len(digits) == 13 {
		return digits, isNumber(digits) && checkDigit13(digits[:12]) == digits[12]
	}
	if len(digits) != 10 || !isNumber(digits[:9]) || checkDigit10(digits[:9]) != digits[9] {
		return "", false
	}
	stem := "978" + digits[:9]
	return stem + string(checkDigit13(stem)), true
}

func isNumber(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// checkDigit13 makes the sum of all digits, every second one times three, a
// multiple of ten.
func checkDigit13(digits string) byte {
	sum := 0
	for i, d := range []byte(digits) {
		sum += int(d-'0') * (1 + 2*(i%2))
	}
	return byte('0' + (10-sum%10)%10)
}

// checkDigit10 makes the sum of all digits, the first times ten and the last
// times one, a multiple of eleven. An x stands for ten.
func checkDigit10(digits string) byte {
	sum := 0
	for i, d := range []byte(digits) {
		sum += int(d-'0') * (10 - i)
	}
	return "0123456789x"[(11-sum%11)%11]
}
