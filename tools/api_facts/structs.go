package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// goStructs reads the API's structs from the sources of the modules, a package when it is asked for.
type goStructs struct {
	modules  map[string]string // "k8s.io/api" -> folder
	packages map[string]*goPackage
}

type goPackage struct {
	path  string // import path
	types map[string]goType
}

type goType struct {
	expression ast.Expr
	imports    map[string]string // of its file, by the name that the file gives them
	pack       *goPackage
}

// goField is one member of a struct's JSON; those of an inlined struct are members too.
type goField struct {
	Presence string   // when it is written: "" if set, omit, always, null (table.go)
	Protos   []string // its name in generated.proto behind the names of the inlined structs
}

func newStructs(modules map[string]string) *goStructs {
	return &goStructs{modules: modules, packages: map[string]*goPackage{}}
}

// importPath gives "k8s.io/api/core/v1" of "io.k8s.api.core.v1".
func importPath(openAPIPackage string) string {
	return "k8s.io/" + strings.ReplaceAll(strings.TrimPrefix(openAPIPackage, "io.k8s."), ".", "/")
}

func (s *goStructs) pack(path string) (*goPackage, error) {
	if known, found := s.packages[path]; found {
		return known, nil
	}
	module := path
	for s.modules[module] == "" {
		cut := strings.LastIndexByte(module, '/')
		if cut < 0 {
			return nil, fmt.Errorf("package %s is in none of the modules", path)
		}
		module = module[:cut]
	}
	folder := filepath.Join(s.modules[module], strings.TrimPrefix(path, module))
	parsed, err := parser.ParseDir(token.NewFileSet(), folder, func(file fs.FileInfo) bool {
		name := file.Name()
		return !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "generated")
	}, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pack := &goPackage{path: path, types: map[string]goType{}}
	for _, files := range parsed {
		for _, file := range files.Files {
			pack.add(file)
		}
	}
	s.packages[path] = pack
	return pack, nil
}

func (p *goPackage) add(file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				p.types[spec.Name.Name] = goType{spec.Type, imports, p}
			}
		}
	}
}

// resolve follows names until it meets a pointer, slice, map, struct, scalar or a type with JSON of
// its own, whose name it gives.
func (s *goStructs) resolve(t goType) (goType, string, error) {
	switch e := t.expression.(type) {
	case *ast.Ident:
		next, found := t.pack.types[e.Name]
		if !found {
			return t, "scalar", nil // string, int32, bool, ...
		}
		if name := ownJSON[t.pack.path+"."+e.Name]; name != "" {
			return next, name, nil
		}
		return s.resolve(next)
	case *ast.SelectorExpr:
		path := t.imports[e.X.(*ast.Ident).Name]
		if name := ownJSON[path+"."+e.Sel.Name]; name != "" {
			return t, name, nil
		}
		pack, err := s.pack(path)
		if err != nil {
			return t, "", err
		}
		next, found := pack.types[e.Sel.Name]
		if !found {
			return t, "", fmt.Errorf("no type %s in %s", e.Sel.Name, path)
		}
		return s.resolve(next)
	case *ast.StarExpr:
		return t, "pointer", nil
	case *ast.ArrayType, *ast.MapType:
		return t, "container", nil
	case *ast.StructType:
		return t, "struct", nil
	case *ast.InterfaceType:
		return t, "pointer", nil
	}
	return t, "", fmt.Errorf("a type that is not understood in %s", t.pack.path)
}

// Types whose JSON is not that of their struct: what the zero value looks like.
var ownJSON = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "null",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                "null",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                 "always",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 "null",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "always",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "always",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "null",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "null",
}

// presence tells when a member is written. Go leaves out a struct only by omitzero.
func presence(kind string, omitEmpty, omitZero bool) string {
	switch kind {
	case "pointer":
		if omitEmpty || omitZero {
			return ""
		}
		return "null"
	case "container":
		if omitEmpty {
			return "omit"
		} else if omitZero {
			return "" // nil is left out, an empty one is not
		}
		return "null"
	case "scalar":
		if omitEmpty || omitZero {
			return "omit"
		}
		return "always"
	case "struct":
		kind = "always"
	}
	if omitZero {
		return "omit"
	}
	return kind
}

// Fields gives the JSON members of a struct by name.
func (s *goStructs) Fields(path, name string) (map[string]goField, error) {
	pack, err := s.pack(path)
	if err != nil {
		return nil, err
	}
	found, ok := pack.types[name]
	if !ok {
		return nil, fmt.Errorf("no type %s in %s", name, path)
	}
	fields := map[string]goField{}
	return fields, s.collect(found, nil, fields)
}

func (s *goStructs) collect(t goType, outer []string, fields map[string]goField) error {
	t, kind, err := s.resolve(t)
	if err != nil {
		return err
	}
	if kind != "struct" {
		return nil
	}
	for _, member := range t.expression.(*ast.StructType).Fields.List {
		if member.Tag == nil {
			continue
		}
		text, _ := strconv.Unquote(member.Tag.Value)
		tag := reflect.StructTag(text)
		options := strings.Split(tag.Get("json"), ",")
		protos := outer
		if proto := tag.Get("protobuf"); proto != "" {
			protos = append(append([]string{}, outer...), protoName(proto, options[0], member.Type))
		}
		of := goType{member.Type, t.imports, t.pack}
		if len(member.Names) == 0 && options[0] == "" {
			if err := s.collect(of, protos, fields); err != nil {
				return err
			}
			continue
		}
		if options[0] == "-" || options[0] == "" {
			continue
		}
		_, kind, err := s.resolve(of)
		if err != nil {
			return err
		}
		if kind := t.pack.types["TypeMeta"]; t.expression == kind.expression {
			protos = nil // apiVersion and kind stand in the envelope of the message
		}
		fields[options[0]] = goField{
			Presence: presence(kind, contains(options[1:], "omitempty"), contains(options[1:], "omitzero")),
			Protos:   protos,
		}
	}
	return nil
}

// protoName gives a member's name in generated.proto: the one its tag says, or that in JSON, or that
// of its type.
func protoName(tag, json string, of ast.Expr) string {
	for _, part := range strings.Split(tag, ",") {
		if name, found := strings.CutPrefix(part, "name="); found {
			return name
		}
	}
	if name, isName := of.(*ast.Ident); json == "" && isName {
		return strings.ToLower(name.Name[:1]) + name.Name[1:]
	}
	return json
}
