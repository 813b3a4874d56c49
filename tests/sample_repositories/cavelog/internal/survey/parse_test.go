package survey

import (
	"strings"
	"testing"
)

func TestParseSurvexFlags(t *testing.T) {
	in := "1 2 5.30 120 -4 ; big step\n*flags splay\n2 - 1.10 200 0\n"
	got, err := ParseSurvex(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Splay || !got[1].Splay {
		t.Fatalf("got %+v", got)
	}
}
