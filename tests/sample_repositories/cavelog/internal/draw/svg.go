// Package draw makes SVG drawings of the survey.
package draw

import (
	"fmt"
	"strings"

	"example.com/cavelog/internal/model"
)

// View is the side from which we look.
type View int

// The two drawings that every cave has.
const (
	Plan View = iota
	Section
)

// Options change how the drawing looks.
type Options struct {
	// Scale is pixels per metre.
	Scale float64
	// Splays says whether the short shots to the walls are drawn.
	Splays bool
	// Names writes the stations' names.
	Names bool
}

// Sheet draws the legs from the given side.
func Sheet(points map[string]model.Point, legs []*model.Leg, view View, opt Options) string {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg">`)
	for _, leg := range legs {
		if leg.Splay && !opt.Splays {
			continue
		}
		from, okFrom := points[leg.From]
		to, okTo := points[leg.To]
		if !okFrom || !okTo {
			continue
		}
		x1, y1 := project(from, view, opt.Scale)
		x2, y2 := project(to, view, opt.Scale)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="black"/>`, x1, y1, x2, y2)
		if opt.Names {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f">%s</text>`, x2, y2, leg.To)
		}
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// project turns a station into a place on the paper.
func project(p model.Point, view View, scale float64) (float64, float64) {
	if view == Section {
		return p.X * scale, -p.Z * scale
	}
	return p.X * scale, -p.Y * scale
}

// Stretch makes heights larger, so that flat caves can be read.
func Stretch(points map[string]model.Point, lift float64) map[string]model.Point {
	out := make(map[string]model.Point, len(points))
	for name, p := range points {
		p.Z *= lift
		out[name] = p
	}
	return out
}
