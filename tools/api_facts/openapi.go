package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// schema is the part of an OpenAPI schema that a kind's structure is in. Other keywords are an
// error: the table would lose what they say.
type schema struct {
	Description          string            `json:"description"` // not kept
	Title                string            `json:"title"`       // not kept
	Ref                  string            `json:"$ref"`
	AllOf                []schema          `json:"allOf"`
	OneOf                []schema          `json:"oneOf"`
	Type                 string            `json:"type"`
	Format               string            `json:"format"`
	Properties           map[string]schema `json:"properties"`
	Required             []string          `json:"required"`
	AdditionalProperties *schema           `json:"additionalProperties"`
	Items                *schema           `json:"items"`
	Default              json.RawMessage   `json:"default"`
	Enum                 []string          `json:"enum"`

	ListType      string             `json:"x-kubernetes-list-type"`
	ListMapKeys   []string           `json:"x-kubernetes-list-map-keys"`
	MapType       string             `json:"x-kubernetes-map-type"`
	PatchStrategy string             `json:"x-kubernetes-patch-strategy"`
	PatchMergeKey string             `json:"x-kubernetes-patch-merge-key"`
	Kinds         []groupVersionKind `json:"x-kubernetes-group-version-kind"`
	Unions        json.RawMessage    `json:"x-kubernetes-unions"` // not kept: nothing reads it
	apiVersions   []string
}

func parseSchema(text []byte) (*schema, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var parsed schema
	return &parsed, decoder.Decode(&parsed)
}

// target gives the name of the schema that this one refers to, also where a default stands beside.
func (s *schema) target() string {
	ref := s.Ref
	if ref == "" && len(s.AllOf) == 1 {
		ref = s.AllOf[0].Ref
	}
	return strings.TrimPrefix(ref, "#/components/schemas/")
}

// Types that are one value in JSON.
var scalarTypes = map[string]string{
	"io.k8s.apimachinery.pkg.api.resource.Quantity":                                         "quantity",
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString":                                       "intOrString",
	"io.k8s.apimachinery.pkg.apis.meta.v1.Time":                                             "time",
	"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime":                                        "microtime",
	"io.k8s.apimachinery.pkg.apis.meta.v1.Duration":                                         "duration",
	"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1":                                         "any",
	"io.k8s.apimachinery.pkg.apis.meta.v1.Patch":                                            "any",
	"io.k8s.apimachinery.pkg.runtime.RawExtension":                                          "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON":                         "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray":       "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool":        "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "any",
}

// typeText writes a type in the table's form, seen from a package of OpenAPI's.
func typeText(s *schema, pack string) (string, error) {
	if name := s.target(); name != "" {
		if scalar := scalarTypes[name]; scalar != "" {
			return scalar, nil
		}
		of, base := splitName(name)
		if of == pack {
			return base, nil
		}
		return shortPackage(of) + "." + base, nil
	}
	switch s.Type + "/" + s.Format {
	case "string/":
		return "string", nil
	case "string/byte":
		return "bytes", nil
	case "string/date-time":
		return "time", nil
	case "boolean/":
		return "bool", nil
	case "integer/int32", "integer/int64":
		return s.Format, nil
	case "number/double":
		return "double", nil
	case "array/":
		element, err := typeText(s.Items, pack)
		return "[]" + element, err
	case "object/":
		if s.AdditionalProperties != nil {
			element, err := typeText(s.AdditionalProperties, pack)
			return "map[string]" + element, err
		}
		return "any", nil
	case "/":
		return "any", nil
	}
	return "", fmt.Errorf("type %q of format %q is not understood", s.Type, s.Format)
}

// splitName gives package and type of "io.k8s.api.core.v1.PodSpec".
func splitName(name string) (string, string) {
	cut := strings.LastIndexByte(name, '.')
	return name[:cut], name[cut+1:]
}

// shortPackage gives "core/v1" of "io.k8s.api.core.v1": its last two parts.
func shortPackage(pack string) string {
	parts := strings.Split(pack, ".")
	return strings.Join(parts[len(parts)-2:], "/")
}

type fieldFacts struct {
	name, typeText, number, presence, defaultValue string
	attributes                                     []string
}

type typeFacts struct {
	pack, name  string // of OpenAPI: "io.k8s.api.core.v1", "PodSpec"
	apiVersions []string
	atomic      bool
	fields      []fieldFacts
}

func typesOf(schemas map[string]schema, structs *goStructs, messages protoMessages) ([]typeFacts, error) {
	var types []typeFacts
	for name := range schemas {
		parsed := schemas[name]
		if scalarTypes[name] != "" {
			continue
		}
		pack, base := splitName(name)
		facts := typeFacts{pack: pack, name: base, apiVersions: parsed.apiVersions,
			atomic: parsed.MapType == "atomic"}
		members, err := structs.Fields(importPath(pack), base)
		if err != nil {
			return nil, err
		}
		for field := range parsed.Properties {
			of := parsed.Properties[field]
			member, found := members[field]
			if !found {
				return nil, fmt.Errorf("%s has no field %s in Go", name, field)
			}
			line, err := fieldOf(field, &of, pack)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", name, field, err)
			}
			if line.number, err = messages.number(pack, base, member.Protos, line.typeText); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", name, field, err)
			}
			line.presence = member.Presence
			if line.defaultValue != "" && !(line.presence != "" && isZero(line.defaultValue)) {
				line.attributes = append(line.attributes, "default="+line.defaultValue)
			}
			if contains(parsed.Required, field) {
				line.attributes = append([]string{"required"}, line.attributes...)
			}
			facts.fields = append(facts.fields, *line)
		}
		sort.Slice(facts.fields, func(a, b int) bool { return facts.fields[a].name < facts.fields[b].name })
		types = append(types, facts)
	}
	sort.Slice(types, func(a, b int) bool {
		if types[a].pack != types[b].pack {
			return shortPackage(types[a].pack) < shortPackage(types[b].pack)
		}
		return types[a].name < types[b].name
	})
	return types, nil
}

// isZero says whether a default is what Go has without it.
func isZero(value string) bool {
	return value == "0" || value == "false" || value == `""`
}

// fieldOf gives all but number, presence and whether the field is required.
func fieldOf(name string, s *schema, pack string) (*fieldFacts, error) {
	text, err := typeText(s, pack)
	if err != nil {
		return nil, err
	}
	field := &fieldFacts{name: name, typeText: text}
	add := func(format string, values ...any) {
		field.attributes = append(field.attributes, fmt.Sprintf(format, values...))
	}
	switch s.PatchStrategy {
	case "":
	case "merge", "replace", "retainKeys":
		add("%s", s.PatchStrategy)
	case "merge,retainKeys":
		add("retainKeys")
		add("merge")
	default:
		return nil, fmt.Errorf("patch strategy %q is not understood", s.PatchStrategy)
	}
	if s.PatchMergeKey != "" {
		if !strings.HasPrefix(s.PatchStrategy, "merge") {
			return nil, fmt.Errorf("a merge key without the strategy merge")
		}
		field.attributes[len(field.attributes)-1] += "=" + s.PatchMergeKey
	}
	switch s.ListType {
	case "":
	case "atomic", "set":
		add("list=%s", s.ListType)
	case "map":
		add("list=map(%s)", strings.Join(s.ListMapKeys, ","))
	default:
		return nil, fmt.Errorf("list type %q is not understood", s.ListType)
	}
	if s.MapType == "atomic" {
		add("atomic")
	}
	if value := string(s.Default); value != "{}" && value != "null" {
		if strings.ContainsAny(value, " \t\n") {
			return nil, fmt.Errorf("default %s has white space", value)
		}
		field.defaultValue = value
	}
	enum := s.Enum
	if s.Items != nil && enum == nil {
		enum = s.Items.Enum
	}
	if len(enum) > 0 {
		if strings.ContainsAny(strings.Join(enum, ""), "%,") {
			return nil, fmt.Errorf("values %q have percent signs or commas", enum)
		}
		add("enum=%s", strings.ReplaceAll(strings.Join(enum, ","), " ", "%20"))
	}
	return field, nil
}
