module example.com/fleet

go 1.23

require (
	github.com/gin-gonic/gin v1.10.0
	github.com/spf13/cobra v1.8.1
)
