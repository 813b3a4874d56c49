package survey

import (
	"math"

	"example.com/cavelog/internal/model"
	"example.com/cavelog/internal/store"
)

// AdjustOptions say how the loops are closed.
type AdjustOptions struct {
	// Tolerance is the misclosure in per cent that is taken as it is.
	Tolerance float64
	// Entrance is the station at 0, 0, 0.
	Entrance string
}

// Loop is a closed one, with what was missing.
type Loop struct {
	At       string  `json:"at"`
	ErrorM   float64 `json:"error_m"`
	Percent  float64 `json:"percent"`
	Accepted bool    `json:"accepted"`
}

// Adjust walks along the legs, closes the loops and keeps the stations.
func Adjust(db *store.DB, caveID string, legs []*model.Leg, opt AdjustOptions) ([]Loop, error) {
	points := map[string]model.Point{opt.Entrance: {}}
	run := map[string]float64{opt.Entrance: 0}
	var loops []Loop
	for _, leg := range legs {
		if leg.Splay {
			continue
		}
		from, ok := points[leg.From]
		if !ok {
			continue
		}
		end := step(from, leg)
		run[leg.To] = run[leg.From] + leg.Tape
		if old, seen := points[leg.To]; seen {
			loop := closure(leg.To, old, end, run[leg.To], opt.Tolerance)
			loops = append(loops, loop)
			end = middle(old, end)
		}
		points[leg.To] = end
	}
	return loops, db.SetFixed(caveID, points)
}

func step(from model.Point, leg *model.Leg) model.Point {
	c, v := leg.Compass*math.Pi/180, leg.Clino*math.Pi/180
	flat := leg.Tape * math.Cos(v)
	return model.Point{X: from.X + flat*math.Sin(c), Y: from.Y + flat*math.Cos(c), Z: from.Z + leg.Tape*math.Sin(v)}
}

func closure(at string, a, b model.Point, length, tolerance float64) Loop {
	miss := math.Sqrt(math.Pow(a.X-b.X, 2) + math.Pow(a.Y-b.Y, 2) + math.Pow(a.Z-b.Z, 2))
	percent := 100 * miss / length
	return Loop{At: at, ErrorM: miss, Percent: percent, Accepted: percent <= tolerance}
}

func middle(a, b model.Point) model.Point {
	return model.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2, Z: (a.Z + b.Z) / 2}
}
