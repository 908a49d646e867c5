package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A name that is not taken apart must be one that taking apart would clear.
func TestNoSensitiveNameIsPassedOver(t *testing.T) {
	words := strings.Fields(`password passwd passphrase passcode passwort pass pwd secret apikey secretkey privatekey accesskey
		signingkey encryptionkey masterkey token authtoken key keys authorization cookie credential creds psk bearer jwt amz
		signature registry auth id x 2 my`)
	for _, list := range [][]string{suffixes[:], passOwners[:], tokenOwners[:], keyOwners[:], notTokens[:]} {
		words = append(words, list...)
	}
	r := rand.New(rand.NewPCG(6, 6))
	found := 0
	for range 300_000 {
		var name []byte
		for n := 1 + r.IntN(4); n > 0; n-- {
			name = append(name, words[r.IntN(len(words))]...)
			name = append(name, []string{"", "", "_", "-", ".", "s", "3", " "}[r.IntN(8)]...)
		}
		for i := range name {
			if r.IntN(3) == 0 && isLower(name[i]) {
				name[i] &^= 0x20
			}
		}
		switch c := classifySplit(string(name)); {
		case c == harmless:
		case !mayBeSensitive(string(name)):
			t.Fatalf("%s is sensitive (%d)", name, c)
		default:
			found++
		}
	}
	if found < 20_000 {
		t.Errorf("%d sensitive names are too few", found)
	}
}
