// Package api is what dispatchers and vehicles call.
package api

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"example.com/fleet/internal/config"
	"example.com/fleet/internal/store"
	"example.com/fleet/internal/trips"
)

// Server answers requests.
type Server struct {
	store *store.Store
	cfg   config.Config
}

// NewRouter mounts everything.
func NewRouter(s *store.Store, cfg config.Config) *gin.Engine {
	srv := &Server{store: s, cfg: cfg}
	r := gin.New()
	r.Use(gin.Recovery())

	dispatch := r.Group("/api", srv.requireToken)
	vehicles := dispatch.Group("/vehicles")
	vehicles.GET("", srv.listVehicles)
	vehicles.GET("/:id", srv.getVehicle)
	vehicles.PATCH("/:id", srv.patchVehicle)
	vehicles.POST("/:id/retire", srv.retireVehicle)
	vehicles.GET("/:id/repairs", srv.listRepairs)
	vehicles.POST("/:id/repairs", srv.bookRepair)

	drivers := dispatch.Group("/drivers")
	drivers.GET("", srv.listDrivers)
	drivers.PATCH("/:id", srv.patchDriver)
	drivers.POST("/:id/suspend", srv.suspendDriver)

	journeys := dispatch.Group("/trips")
	journeys.GET("", srv.listTrips)
	journeys.POST("", srv.startTrip)
	journeys.GET("/:id", srv.getTrip)
	journeys.POST("/:id/finish", srv.finishTrip)

	dispatch.POST("/repairs/:id/finish", srv.finishRepair)

	box := r.Group("/telematics")
	box.POST("/trips/:id/position", srv.reportPosition)
	box.POST("/trips/:id/ignition-off", srv.ignitionOff)
	return r
}

func (srv *Server) requireToken(c *gin.Context) {
	if srv.cfg.Token != "" && c.GetHeader("X-Token") != srv.cfg.Token {
		c.AbortWithStatus(http.StatusUnauthorized)
	}
}

// fail answers with the status that an error deserves; every handler ends here when something is wrong.
func fail(c *gin.Context, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, store.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, trips.ErrNotAllowed):
		status = http.StatusConflict
	}
	c.JSON(status, gin.H{"error": err.Error()})
}

// pathID reads the number in the path.
func pathID(c *gin.Context) int {
	id, err := strconv.Atoi(c.Param("id"))
	if err != nil {
		return -1
	}
	return id
}
