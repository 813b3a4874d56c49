package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"example.com/fleet/internal/config"
	"example.com/fleet/internal/model"
	"example.com/fleet/internal/trips"
)

type tripStart struct {
	VehicleID int    `json:"vehicle_id" binding:"required"`
	DriverID  int    `json:"driver_id" binding:"required"`
	Purpose   string `json:"purpose"`
}

type odometerReading struct {
	Km int `json:"km" binding:"required"`
}

// listTrips shows trips, the running ones only if the query says so.
func (srv *Server) listTrips(c *gin.Context) {
	driver, _ := strconv.Atoi(c.Query("driver"))
	running := c.Query("running") == "true"
	rows := srv.store.Trips(func(t *model.Trip) bool {
		return (driver == 0 || t.DriverID == driver) && (!running || t.EndedAt == nil)
	})
	if len(rows) > config.PageSize {
		rows = rows[:config.PageSize]
	}
	c.JSON(http.StatusOK, rows)
}

func (srv *Server) getTrip(c *gin.Context) {
	trip, err := srv.store.Trip(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusOK, trip)
}

// startTrip sends a vehicle out.
func (srv *Server) startTrip(c *gin.Context) {
	var body tripStart
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	vehicle, err := srv.store.Vehicle(body.VehicleID)
	if err != nil {
		fail(c, err)
		return
	}
	driver, err := srv.store.Driver(body.DriverID)
	if err != nil {
		fail(c, err)
		return
	}
	trip, err := trips.Start(srv.store, vehicle, driver, body.Purpose)
	if err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusCreated, trip)
}

// finishTrip is for dispatchers: the driver telephones the reading in.
func (srv *Server) finishTrip(c *gin.Context) {
	trip, err := srv.store.Trip(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	var body odometerReading
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	if err := trips.Finish(srv.store, trip, body.Km); err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusOK, trip)
}

// reportPosition keeps a trip alive.
func (srv *Server) reportPosition(c *gin.Context) {
	trip, err := srv.store.Trip(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	trip.LastSeen = time.Now()
	c.Status(http.StatusNoContent)
}

// ignitionOff is what the box in the vehicle sends when the engine stops for good.
func (srv *Server) ignitionOff(c *gin.Context) {
	trip, err := srv.store.Trip(pathID(c))
	if err != nil {
		fail(c, err)
		return
	}
	var body odometerReading
	if err := c.ShouldBindJSON(&body); err != nil {
		fail(c, err)
		return
	}
	if err := trips.Finish(srv.store, trip, body.Km); err != nil {
		fail(c, err)
		return
	}
	c.Status(http.StatusNoContent)
}
