package draw

import (
	"strings"
	"testing"

	"example.com/cavelog/internal/model"
)

func TestSheetLeavesOutSplays(t *testing.T) {
	points := map[string]model.Point{"1": {}, "w": {X: 1}}
	legs := []*model.Leg{{From: "1", To: "w", Splay: true}}
	if got := Sheet(points, legs, Plan, Options{Scale: 10}); strings.Contains(got, "<line") {
		t.Fatal(got)
	}
}
