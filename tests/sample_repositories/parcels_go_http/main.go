// Command parcels serves parcels over HTTP.
package main

import (
	"flag"
	"log"
	"net/http"

	"example.com/parcels/parcels"
	"example.com/parcels/web"
)

func main() {
	address := flag.String("address", ":8080", "where to listen")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, web.Handler(parcels.NewDepot())))
}
