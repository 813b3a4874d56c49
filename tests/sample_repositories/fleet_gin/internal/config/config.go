// Package config reads what an installation sets.
package config

import (
	"os"
	"time"
)

const (
	// TripIdleLimit is how long a trip may stand still before it is closed.
	TripIdleLimit = 90 * time.Minute
	// DriverIdleLimit is how long a driver may do nothing before the screen signs them out.
	DriverIdleLimit = 90 * time.Minute
	// ServiceEveryKm is the distance after which a vehicle must go to the workshop.
	ServiceEveryKm = 20000
	// PageSize is how many rows a list shows.
	PageSize = 50
)

// Config is what the environment says.
type Config struct {
	Listen string
	Token  string
}

// Load reads the environment.
func Load() Config {
	listen := os.Getenv("FLEET_LISTEN")
	if listen == "" {
		listen = ":8080"
	}
	return Config{Listen: listen, Token: os.Getenv("FLEET_TOKEN")}
}
