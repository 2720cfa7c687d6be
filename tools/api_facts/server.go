package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

const bearer = "facts"

// server is a kube-apiserver of our own, on this machine.
type server struct {
	url    string
	client http.Client
}

// withServer starts etcd and kube-apiserver, calls use, and stops both.
func withServer(programs string, options []string, use func(*server) error) error {
	folder, err := os.MkdirTemp("", "api-facts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	etcd, err := start(folder, filepath.Join(programs, "etcd"),
		"--data-dir="+filepath.Join(folder, "data"), "--unsafe-no-fsync",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer,
		"--initial-cluster=default="+peer)
	if err != nil {
		return err
	}
	defer stop(etcd)

	key := filepath.Join(folder, "key.pem")
	tokens := filepath.Join(folder, "tokens")
	if err := writeKey(key); err != nil {
		return err
	}
	if err := os.WriteFile(tokens, []byte(bearer+",admin,admin,\"system:masters\"\n"), 0o600); err != nil {
		return err
	}
	api, err := start(folder, filepath.Join(programs, "kube-apiserver"), append([]string{
		"--etcd-servers=" + client, "--secure-port=" + ports[2], "--bind-address=127.0.0.1",
		"--cert-dir=" + filepath.Join(folder, "certificates"), "--token-auth-file=" + tokens,
		"--authorization-mode=RBAC", "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
		"--service-cluster-ip-range=10.0.0.0/16", "--disable-admission-plugins=ServiceAccount",
	}, options...)...)
	if err != nil {
		return err
	}
	defer stop(api)

	s := &server{url: "https://127.0.0.1:" + ports[2]}
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	if err := s.awaitReady(2 * time.Minute); err != nil {
		log, _ := os.ReadFile(filepath.Join(folder, "kube-apiserver.log"))
		return fmt.Errorf("%w; its log ends: %s", err, tail(string(log), 2000))
	}
	return use(s)
}

func tail(text string, size int) string {
	if len(text) > size {
		text = text[len(text)-size:]
	}
	return text
}

func freePorts(count int) ([]string, error) {
	var ports []string
	for i := 0; i < count; i++ {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		ports = append(ports, port)
	}
	return ports, nil
}

func writeKey(path string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

func start(folder, program string, arguments ...string) (*exec.Cmd, error) {
	log, err := os.Create(filepath.Join(folder, filepath.Base(program)+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr = log, log
	return command, command.Start()
}

func stop(command *exec.Cmd) {
	command.Process.Kill()
	command.Wait()
}

func (s *server) awaitReady(timeout time.Duration) error {
	for deadline := time.Now().Add(timeout); ; time.Sleep(200 * time.Millisecond) {
		_, err := s.body("/readyz", "*/*")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("kube-apiserver is not ready: %w", err)
		}
	}
}

func (s *server) body(path, accept string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Accept", accept)
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", path, answer.Status)
	}
	return body, nil
}

func (s *server) get(path, accept string, into any) error {
	body, err := s.body(path, accept)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

// What discovery says; the names are those of apidiscovery.k8s.io/v2.
type (
	groupVersionKind struct{ Group, Version, Kind string }
	subresource      struct {
		Subresource  string
		ResponseKind *groupVersionKind
		Verbs        []string
	}
	resource struct {
		Resource         string
		ResponseKind     *groupVersionKind
		Scope            string
		SingularResource string
		Verbs            []string
		ShortNames       []string
		Categories       []string
		Subresources     []subresource
	}
	groupVersion struct {
		Version   string
		Resources []resource
	}
	group struct {
		Metadata struct{ Name string }
		Versions []groupVersion
	}
)

// discover gives the groups in the order in which the server prefers them; the core group is first.
func (s *server) discover() ([]group, error) {
	var groups []group
	for _, path := range []string{"/api", "/apis"} {
		var list struct{ Items []group }
		accept := "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
		if err := s.get(path, accept, &list); err != nil {
			return nil, err
		}
		groups = append(groups, list.Items...)
	}
	return groups, nil
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// resourceNames gives "apps/v1 deployments" of all resources, and "apps/v1 deployments/scale".
func resourceNames(groups []group) map[string]bool {
	names := map[string]bool{}
	for _, group := range groups {
		for _, version := range group.Versions {
			prefix := apiVersion(group.Metadata.Name, version.Version) + " "
			for _, resource := range version.Resources {
				names[prefix+resource.Resource] = true
				for _, part := range resource.Subresources {
					names[prefix+resource.Resource+"/"+part.Subresource] = true
				}
			}
		}
	}
	return names
}

type column struct {
	Name, Type, Format string
	Priority           int
}

// columns asks each resource that can be listed for the head of its table, by "apps/v1 deployments".
func (s *server) columns(groups []group) (map[string][]column, error) {
	columns := map[string][]column{}
	for _, group := range groups {
		for _, version := range group.Versions {
			name := apiVersion(group.Metadata.Name, version.Version)
			root := "/apis/" + name
			if group.Metadata.Name == "" {
				root = "/api/" + name
			}
			for _, resource := range version.Resources {
				if !contains(resource.Verbs, "list") {
					continue
				}
				var table struct{ ColumnDefinitions []column }
				accept := "application/json;as=Table;v=v1;g=meta.k8s.io"
				if err := s.get(root+"/"+resource.Resource, accept, &table); err != nil {
					return nil, err
				}
				columns[name+" "+resource.Resource] = table.ColumnDefinitions
			}
		}
	}
	return columns, nil
}

func contains(words []string, word string) bool {
	for _, other := range words {
		if other == word {
			return true
		}
	}
	return false
}

// schemas gives the schemas of all OpenAPI documents by their names.
func (s *server) schemas() (map[string]schema, error) {
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := s.get("/openapi/v3", "application/json", &index); err != nil {
		return nil, err
	}
	var paths []string
	for path := range index.Paths {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	all := map[string]schema{}
	kinds := map[string]map[string]bool{}
	for _, path := range paths {
		if !strings.HasPrefix(path, "api") {
			continue // /version, /logs, ...: no kinds
		}
		var document struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := s.get(index.Paths[path].ServerRelativeURL, "application/json", &document); err != nil {
			return nil, err
		}
		for name, text := range document.Components.Schemas {
			parsed, err := parseSchema(text)
			if err != nil {
				return nil, fmt.Errorf("%s: schema %s: %w", path, name, err)
			}
			// Documents differ in the list of kinds of the types that they all have.
			if kinds[name] == nil {
				kinds[name] = map[string]bool{}
			}
			for _, kind := range parsed.Kinds {
				kinds[name][apiVersion(kind.Group, kind.Version)] = true
			}
			all[name] = *parsed
		}
	}
	for name, versions := range kinds {
		parsed := all[name]
		for version := range versions {
			parsed.apiVersions = append(parsed.apiVersions, version)
		}
		sort.Strings(parsed.apiVersions)
		all[name] = parsed
	}
	return all, nil
}
