// Command fleetd serves the fleet API.
package main

import (
	"log"

	"example.com/fleet/internal/api"
	"example.com/fleet/internal/config"
	"example.com/fleet/internal/store"
)

func main() {
	cfg := config.Load()
	if err := api.NewRouter(store.New(), cfg).Run(cfg.Listen); err != nil {
		log.Fatal(err)
	}
}
