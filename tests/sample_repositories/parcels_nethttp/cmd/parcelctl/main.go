// Command parcelctl is for the people who run the depots.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"example.com/parcels/conf"
	"example.com/parcels/labels"
	"example.com/parcels/storage"
	"example.com/parcels/tracking"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: parcelctl return-unclaimed | print-labels | count")
	}
	db := storage.Open()
	switch os.Args[1] {
	case "return-unclaimed":
		returnUnclaimed(db, os.Args[2:])
	case "print-labels":
		printLabels(db, os.Args[2:])
	case "count":
		count(db)
	}
}

// returnUnclaimed sends back what nobody has fetched.
func returnUnclaimed(db *storage.DB, args []string) {
	flags := flag.NewFlagSet("return-unclaimed", flag.ExitOnError)
	depot := flags.String("depot", "", "only one depot")
	_ = flags.Parse(args)
	limit := time.Now().AddDate(0, 0, -conf.StorageDays)
	for _, parcel := range db.Parcels {
		if parcel.Status == "waiting" && parcel.HandedIn.Before(limit) && (*depot == "" || parcel.DepotID == *depot) {
			tracking.Advance(db, parcel, "returning", "nobody fetched it")
		}
	}
}

// printLabels writes the labels of a shop's new parcels.
func printLabels(db *storage.DB, args []string) {
	flags := flag.NewFlagSet("print-labels", flag.ExitOnError)
	shop := flags.String("shop", "", "the shop")
	_ = flags.Parse(args)
	printed := 0
	for _, parcel := range db.Parcels {
		if parcel.ShopID == *shop && parcel.Status == "announced" {
			fmt.Println(labels.Render(parcel))
			printed++
		}
	}
	fmt.Println(labels.Pages(printed))
}

// count prints how many parcels are in each status.
func count(db *storage.DB) {
	by := map[string]int{}
	for _, parcel := range db.Parcels {
		by[parcel.Status]++
	}
	fmt.Println(by)
}
