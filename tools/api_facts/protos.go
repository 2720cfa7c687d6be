package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// protoField is a line of a message: "repeated Container containers = 2;".
type protoField struct {
	Type     string // as it is spelt, "map<string, string>", without the leading dot
	Repeated bool
	Number   string
}

// protoMessages are the messages of all modules by "k8s.io.api.core.v1.PodSpec", their fields by name.
type protoMessages map[string]map[string]protoField

var (
	packageLine = regexp.MustCompile(`^package ([\w.]+);`)
	messageLine = regexp.MustCompile(`^message (\w+) \{`)
	fieldLine   = regexp.MustCompile(`^  (optional |repeated )?(map<[^>]*>|[\w.]+) (\w+) = (\d+);`)
)

func readMessages(modules map[string]string) (protoMessages, error) {
	messages := protoMessages{}
	for _, folder := range modules {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != "generated.proto" {
				return err
			}
			return messages.read(path)
		})
		if err != nil {
			return nil, err
		}
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("no generated.proto in the modules")
	}
	return messages, nil
}

func (messages protoMessages) read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var pack string
	var message map[string]protoField
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if match := packageLine.FindStringSubmatch(line); match != nil {
			pack = match[1]
		} else if match := messageLine.FindStringSubmatch(line); match != nil {
			message = map[string]protoField{}
			messages[pack+"."+match[1]] = message
		} else if match := fieldLine.FindStringSubmatch(line); match != nil {
			message[match[3]] = protoField{
				Type:     strings.TrimPrefix(match[2], "."),
				Repeated: match[1] == "repeated ",
				Number:   match[4],
			}
		} else if line == "}" {
			message = nil
		} else if text := strings.TrimSpace(line); message != nil && text != "" && !strings.HasPrefix(text, "//") {
			return fmt.Errorf("%s: not understood: %s", path, line)
		}
	}
	return lines.Err()
}

// protoPackage gives "k8s.io.api.core.v1" of OpenAPI's "io.k8s.api.core.v1".
func protoPackage(pack string) string {
	return "k8s.io." + strings.ReplaceAll(strings.TrimPrefix(pack, "io.k8s."), "-", "_")
}

// number gives "2", or "2.1" for a member of an inlined struct, which is a message of its own in
// protobuf, or "-" where there is no protobuf. The types of both must agree.
func (messages protoMessages) number(pack, name string, path []string, jsonType string) (string, error) {
	message := protoPackage(pack) + "." + name
	if len(path) == 0 || messages[message] == nil {
		return "-", nil
	}
	var numbers []string
	var field protoField
	for _, step := range path {
		var found bool
		if field, found = messages[message][step]; !found {
			return "", fmt.Errorf("no field %s in message %s", step, message)
		}
		numbers = append(numbers, field.Number)
		message = qualified(field.Type, message)
	}
	if got := messages.typeText(field, message, pack); jsonType != got && jsonType != "any" {
		return "", fmt.Errorf("%s in JSON, but %s in protobuf", jsonType, got)
	}
	return strings.Join(numbers, "."), nil
}

// qualified gives a message's whole name, as seen from another message.
func qualified(name, from string) string {
	if strings.Contains(name, ".") {
		return name
	}
	return from[:strings.LastIndexByte(from, '.')+1] + name
}

// isBox names lists of strings that have a name in Go: a message {items = 1} in protobuf.
var isBox = map[string]bool{
	"k8s.io.apimachinery.pkg.apis.meta.v1.Verbs":   true,
	"k8s.io.api.authentication.v1.ExtraValue":      true,
	"k8s.io.api.authentication.v1beta1.ExtraValue": true,
	"k8s.io.api.authorization.v1.ExtraValue":       true,
	"k8s.io.api.certificates.v1.ExtraValue":        true,
}

var mapType = regexp.MustCompile(`^map<string, \.?([\w.]+)>$`)

// typeText writes a field's type in the table's form, seen from a package of OpenAPI's; `message` is
// the whole name of the field's type, should it be a message.
func (messages protoMessages) typeText(field protoField, message, pack string) string {
	if match := mapType.FindStringSubmatch(field.Type); match != nil {
		value := protoField{Type: match[1]}
		return "map[string]" + messages.typeText(value, qualified(match[1], protoPackage(pack)+"."), pack)
	}
	text := field.Type
	if isBox[message] {
		text = "[]string"
	} else if messages[message] != nil {
		of := "io.k8s." + strings.ReplaceAll(strings.TrimPrefix(message, "k8s.io."), "_", "-")
		text = of[strings.LastIndexByte(of, '.')+1:]
		if scalar := scalarTypes[of]; scalar != "" {
			text = scalar
		} else if outer, _ := splitName(of); outer != pack {
			text = shortPackage(outer) + "." + text
		}
	}
	if field.Repeated && text != "bytes" {
		text = "[]" + text
	}
	return text
}
