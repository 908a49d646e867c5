// Package library greets its importer on stdout, as some do.
package library

import (
	"fmt"
	"log"
	"os"
)

func init() {
	fmt.Println("greeting")
	log.New(os.Stdout, "", 0).Println("second greeting")
}
