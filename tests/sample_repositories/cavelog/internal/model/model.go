// Package model has the types that all layers share.
package model

import "time"

// Cave is one cave of the register.
type Cave struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Region    string    `json:"region"`
	Lat       float64   `json:"lat"`
	Lon       float64   `json:"lon"`
	LengthM   float64   `json:"length_m"`
	DepthM    float64   `json:"depth_m"`
	Gated     bool      `json:"gated"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Trip is a day on which somebody surveyed.
type Trip struct {
	ID          string    `json:"id"`
	CaveID      string    `json:"cave_id"`
	Date        time.Time `json:"date"`
	Team        []string  `json:"team"`
	Declination float64   `json:"declination"`
}

// Leg goes from one station to the next.
type Leg struct {
	ID       string  `json:"id"`
	TripID   string  `json:"trip_id"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Tape     float64 `json:"tape"`
	Compass  float64 `json:"compass"`
	Clino    float64 `json:"clino"`
	Left     float64 `json:"left,omitempty"`
	Right    float64 `json:"right,omitempty"`
	Splay    bool    `json:"splay,omitempty"`
	Surface  bool    `json:"surface,omitempty"`
	Backward bool    `json:"backward,omitempty"`
	Source   string  `json:"source"`
}

// Point is where a station is, relative to the entrance.
type Point struct {
	X, Y, Z float64
}

// Hazard is something that can hurt you.
type Hazard struct {
	ID        string     `json:"id"`
	CaveID    string     `json:"cave_id"`
	Kind      string     `json:"kind"`
	Text      string     `json:"text"`
	Station   string     `json:"station,omitempty"`
	Severity  int        `json:"severity"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	Reporter  string     `json:"reporter"`
	RaisedAt  time.Time  `json:"raised_at"`
}
