package registry

import (
	"testing"

	"example.com/cavelog/internal/model"
)

func TestFitsOpenOnly(t *testing.T) {
	cave := &model.Cave{Name: "Bärenschacht", Gated: true}
	if fits(cave, Filter{OpenOnly: true}) {
		t.Fatal("a gated cave is not open")
	}
}
