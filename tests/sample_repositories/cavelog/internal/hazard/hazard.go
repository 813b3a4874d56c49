// Package hazard keeps what is dangerous in the caves.
package hazard

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.com/cavelog/internal/model"
	"example.com/cavelog/internal/store"
)

// Kinds are the hazards that we know.
var Kinds = map[string]bool{"water": true, "air": true, "rock": true, "rigging": true, "animal": true}

// ErrBadKind says that we don't know that kind of hazard.
var ErrBadKind = errors.New("unknown kind of hazard")

// Warning is a hazard as somebody tells us about it.
type Warning struct {
	Kind      string
	Text      string
	Station   string
	Severity  int
	ExpiresAt *time.Time
	Reporter  string
}

// Raise keeps a warning, and puts its severity between 1 and 5.
func Raise(db *store.DB, caveID string, w Warning) (*model.Hazard, error) {
	if _, err := db.Cave(caveID); err != nil {
		return nil, err
	}
	if !Kinds[w.Kind] {
		return nil, fmt.Errorf("%w: %s", ErrBadKind, w.Kind)
	}
	now := time.Now()
	h := &model.Hazard{
		ID:        strconv.FormatInt(now.UnixNano(), 36),
		CaveID:    caveID,
		Kind:      w.Kind,
		Text:      w.Text,
		Station:   w.Station,
		Severity:  min(max(w.Severity, 1), 5),
		ExpiresAt: w.ExpiresAt,
		Reporter:  w.Reporter,
		RaisedAt:  now,
	}
	return h, db.AddHazard(h)
}
