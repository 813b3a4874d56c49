// Command fleetctl is for the night and for accountants.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/fleet/internal/export"
	"example.com/fleet/internal/model"
	"example.com/fleet/internal/store"
	"example.com/fleet/internal/trips"
)

func main() {
	root := &cobra.Command{Use: "fleetctl"}
	rows := store.New()
	root.AddCommand(closeIdleCommand(rows), exportTripsCommand(rows), exportRepairsCommand(rows))
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}

func closeIdleCommand(rows *store.Store) *cobra.Command {
	return &cobra.Command{
		Use:   "close-idle",
		Short: "Finish trips that have not moved for long",
		RunE: func(*cobra.Command, []string) error {
			closed, err := trips.CloseIdle(rows)
			fmt.Println(closed, "closed")
			return err
		},
	}
}

func exportTripsCommand(rows *store.Store) *cobra.Command {
	var driver int
	command := &cobra.Command{
		Use:   "export-trips",
		Short: "Write trips as CSV to standard output",
		RunE: func(*cobra.Command, []string) error {
			return export.Trips(os.Stdout, rows.Trips(func(t *model.Trip) bool { return driver == 0 || t.DriverID == driver }))
		},
	}
	command.Flags().IntVar(&driver, "driver", 0, "only trips of one driver")
	return command
}

func exportRepairsCommand(rows *store.Store) *cobra.Command {
	var vehicle int
	command := &cobra.Command{
		Use:   "export-repairs",
		Short: "Write repairs of a vehicle as CSV to standard output",
		RunE: func(*cobra.Command, []string) error {
			return export.Repairs(os.Stdout, rows.Repairs(vehicle))
		},
	}
	command.Flags().IntVar(&vehicle, "vehicle", 0, "the vehicle")
	return command
}
