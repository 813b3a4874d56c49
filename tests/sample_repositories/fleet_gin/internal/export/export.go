// Package export writes tables for accountants.
package export

import (
	"encoding/csv"
	"io"
	"strconv"

	"example.com/fleet/internal/model"
)

// Trips writes trips as comma-separated values.
func Trips(w io.Writer, rows []*model.Trip) error {
	out := csv.NewWriter(w)
	defer out.Flush()
	for _, row := range rows {
		if err := out.Write([]string{strconv.Itoa(row.ID), row.Purpose, strconv.Itoa(row.EndKm - row.StartKm)}); err != nil {
			return err
		}
	}
	return nil
}

// Repairs writes repairs as comma-separated values.
func Repairs(w io.Writer, rows []*model.Repair) error {
	out := csv.NewWriter(w)
	defer out.Flush()
	for _, row := range rows {
		if err := out.Write([]string{strconv.Itoa(row.ID), row.Garage, strconv.Itoa(row.Cents)}); err != nil {
			return err
		}
	}
	return nil
}
