// api_facts writes what a version of Kubernetes says about its built-in kinds into one text table;
// the table's head describes its form (table.go).
//
// Fields, types and merge rules come from the OpenAPI documents of a running kube-apiserver,
// resources and printer columns from its discovery, field numbers from the generated.proto files of
// the Go modules, and which zero values are written from the structs' JSON tags there.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	servers := flag.String("servers", "", "folder with etcd and kube-apiserver")
	modules := flag.String("modules", "", "folders of the Go modules, PATH=DIR,...")
	version := flag.String("version", "", "version of Kubernetes, for the table's head")
	output := flag.String("output", "", "file to write")
	flag.Parse()
	if err := run(*servers, *modules, *version, *output); err != nil {
		fmt.Fprintln(os.Stderr, "api_facts:", err)
		os.Exit(1)
	}
}

func run(servers, modules, version, output string) error {
	folders := map[string]string{}
	for _, pair := range strings.Split(modules, ",") {
		path, dir, found := strings.Cut(pair, "=")
		if !found {
			return fmt.Errorf("-modules wants PATH=DIR, not %q", pair)
		}
		folders[path] = dir
	}
	facts := &Facts{Version: version}
	messages, err := readMessages(folders)
	if err != nil {
		return err
	}
	structs := newStructs(folders)
	err = withServer(servers, nil, func(server *server) error {
		served, err := server.discover()
		if err != nil {
			return err
		}
		facts.servedByDefault = resourceNames(served)
		return nil
	})
	if err != nil {
		return err
	}
	everything := []string{"--runtime-config=api/all=true"}
	err = withServer(servers, everything, func(server *server) error {
		if facts.groups, err = server.discover(); err != nil {
			return err
		}
		if facts.columns, err = server.columns(facts.groups); err != nil {
			return err
		}
		schemas, err := server.schemas()
		if err != nil {
			return err
		}
		facts.types, err = typesOf(schemas, structs, messages)
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(output, []byte(facts.Text()), 0o644)
}
