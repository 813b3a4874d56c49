// Package survey has the rules for survey legs.
package survey

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"example.com/cavelog/internal/model"
	"example.com/cavelog/internal/store"
)

// maxTape is longer than any tape we own.
const maxTape = 100.0

// ErrBadLeg says that a measurement can't be right.
var ErrBadLeg = errors.New("bad leg")

// Reading is a leg as it was measured.
type Reading struct {
	From, To             string
	Tape, Compass, Clino float64
	Left, Right          float64
	Splay                bool
	Surface              bool
	Backward             bool
	Source               string
}

// AddLeg checks a reading, corrects it and keeps it.
func AddLeg(db *store.DB, tripID string, r Reading) (*model.Leg, error) {
	trip, err := db.Trip(tripID)
	if err != nil {
		return nil, err
	}
	if r.Tape <= 0 || r.Tape > maxTape || math.Abs(r.Clino) > 90 {
		return nil, fmt.Errorf("%w: %s-%s", ErrBadLeg, r.From, r.To)
	}
	compass := r.Compass + trip.Declination
	if r.Backward {
		compass += 180
		r.Clino = -r.Clino
	}
	leg := &model.Leg{
		ID:       newID(),
		TripID:   tripID,
		From:     r.From,
		To:       r.To,
		Tape:     r.Tape,
		Compass:  math.Mod(compass+360, 360),
		Clino:    r.Clino,
		Left:     r.Left,
		Right:    r.Right,
		Splay:    r.Splay,
		Surface:  r.Surface,
		Backward: r.Backward,
		Source:   r.Source,
	}
	return leg, db.AddLeg(leg)
}

func newID() string {
	raw := make([]byte, 8)
	_, _ = rand.Read(raw)
	return hex.EncodeToString(raw)
}
