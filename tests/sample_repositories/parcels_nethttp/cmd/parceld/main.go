// Command parceld serves parcels.
package main

import (
	"log"
	"net/http"

	"example.com/parcels/conf"
	"example.com/parcels/server"
	"example.com/parcels/storage"
)

func main() {
	log.Fatal(http.ListenAndServe(conf.Listen(), server.New(storage.Open())))
}
