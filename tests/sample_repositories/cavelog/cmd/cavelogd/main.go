// Command cavelogd serves the survey data of the club.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"

	"example.com/cavelog/internal/api"
	"example.com/cavelog/internal/store"
)

func main() {
	addr := flag.String("addr", ":8090", "where to listen")
	file := flag.String("db", "cavelog.json", "file with the data")
	flag.Parse()

	db, err := store.Open(*file)
	if err != nil {
		log.Fatal(err)
	}
	handler := api.NewRouter(db, os.Getenv("CAVELOG_RESCUE_KEY"))
	log.Printf("cavelog listens on %s", *addr)
	log.Fatal(http.ListenAndServe(*addr, handler))
}
