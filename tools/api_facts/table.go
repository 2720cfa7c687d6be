package main

import (
	"fmt"
	"sort"
	"strings"
)

// Facts are all that the table holds.
type Facts struct {
	Version         string
	groups          []group
	servedByDefault map[string]bool
	columns         map[string][]column
	types           []typeFacts
}

const head = `# The built-in kinds of Kubernetes %s, made by ./dev api-facts; not edited by hand.
#
# Lines of words, separated by one space each; lines that start with # are comments.
#
# resource APIVERSION PLURAL KIND namespaced|cluster [off] singular=S [short=S,...] [categories=C,...]
#     verbs=V,...              in the order in which the server prefers groups and versions. off: not
#                              served unless --runtime-config asks for it
#  subresource NAME TYPE [off] verbs=V,...     TYPE: APIVERSION.KIND
#  columns NAME:TYPE:FORMAT:PRIORITY|...      of the server's tables
#
# package SHORT OPENAPI        the types up to the next such line; OPENAPI is the package in the
#                              names of OpenAPI's schemas. Types of another package are called
#                              SHORT.TYPE, "meta/v1.ObjectMeta"
# kind NAME APIVERSION [list]  a type with apiVersion and kind, which are not listed; list: there is
#                              a NAMEList too, {metadata: meta/v1.ListMeta 1, items: []NAME 2
#                              required null}
# type NAME [atomic]           any other type. atomic: one owner as a whole in server-side apply
#  FIELD TYPE NUMBER [ATTRIBUTE...]
#     TYPE     string bool int32 int64 double quantity intOrString time microtime duration bytes any,
#              a type's name, []TYPE, map[string]TYPE
#     NUMBER   of the field in protobuf; 2.1: field 1 of the message in field 2, which JSON inlines;
#              - has none
#     omit | always | null     when it is not set: left out when zero, written as zero, written as
#                              null; without one of the three: as it was set, also to zero
#     required                 a schema says so
#     merge[=KEY] replace retainKeys   the strategies of strategic merge patches
#     list=atomic|set|map(KEY,...), atomic      for server-side apply; atomic: of a map or object
#     default=JSON             without white space; only what OpenAPI tells, the server has more
#     enum=VALUE,...           of the value, or of a list's elements; a blank is %%20
`

// Text gives the table.
func (facts *Facts) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, head, facts.Version)
	for _, group := range facts.groups {
		for _, version := range group.Versions {
			facts.writeResources(&out, apiVersion(group.Metadata.Name, version.Version), version.Resources)
		}
	}
	facts.writeTypes(&out)
	return out.String()
}

func (facts *Facts) off(name string) string {
	if facts.servedByDefault[name] {
		return ""
	}
	return " off"
}

func joined(name string, values []string) string {
	if len(values) == 0 {
		return ""
	}
	return " " + name + "=" + strings.Join(values, ",")
}

func typeName(kind *groupVersionKind, of string) string {
	if kind == nil || kind.Kind == "" {
		return "-"
	}
	if version := apiVersion(kind.Group, kind.Version); kind.Version != "" {
		of = version
	}
	return of + "." + kind.Kind
}

func (facts *Facts) writeResources(out *strings.Builder, version string, resources []resource) {
	sort.Slice(resources, func(a, b int) bool { return resources[a].Resource < resources[b].Resource })
	for _, r := range resources {
		name := version + " " + r.Resource
		scope := "cluster"
		if r.Scope == "Namespaced" {
			scope = "namespaced"
		}
		fmt.Fprintf(out, "\nresource %s %s %s%s singular=%s%s%s%s\n", name, r.ResponseKind.Kind, scope,
			facts.off(name), r.SingularResource, joined("short", r.ShortNames),
			joined("categories", r.Categories), joined("verbs", r.Verbs))
		sort.Slice(r.Subresources, func(a, b int) bool {
			return r.Subresources[a].Subresource < r.Subresources[b].Subresource
		})
		for _, part := range r.Subresources {
			fmt.Fprintf(out, " subresource %s %s%s%s\n", part.Subresource,
				typeName(part.ResponseKind, version), facts.off(name+"/"+part.Subresource),
				joined("verbs", part.Verbs))
		}
		if columns := facts.columns[name]; len(columns) > 0 {
			var words []string
			for _, c := range columns {
				words = append(words, fmt.Sprintf("%s:%s:%s:%d", c.Name, c.Type, c.Format, c.Priority))
			}
			fmt.Fprintf(out, " columns %s\n", strings.Join(words, "|"))
		}
	}
}

func (facts *Facts) writeTypes(out *strings.Builder) {
	lists := map[string]bool{}
	for _, t := range facts.types {
		if t.isPlainList() {
			lists[t.pack+"."+t.name] = true
		}
	}
	pack := ""
	for _, t := range facts.types {
		if lists[t.pack+"."+t.name] {
			continue
		}
		if t.pack != pack {
			pack = t.pack
			fmt.Fprintf(out, "\npackage %s %s\n", shortPackage(pack), pack)
		}
		t.write(out, lists[t.pack+"."+t.name+"List"])
	}
}

// isPlainList says whether a kind is a list like nearly all: the kind that it lists tells all.
func (t *typeFacts) isPlainList() bool {
	element, isList := strings.CutSuffix(t.name, "List")
	if !isList || len(t.fields) != 4 || len(t.apiVersions) != 1 {
		return false
	}
	return t.fields[1].text() == "items []"+element+" 2 null required" &&
		t.fields[3].text() == "metadata meta/v1.ListMeta 1 always"
}

func (f *fieldFacts) text() string {
	words := []string{f.name, f.typeText, f.number}
	if f.presence != "" {
		words = append(words, f.presence)
	}
	return strings.Join(append(words, f.attributes...), " ")
}

func (t *typeFacts) write(out *strings.Builder, list bool) {
	atomic := ""
	if t.atomic {
		atomic = " atomic"
	}
	if isKind := len(t.apiVersions) > 0; isKind {
		// Options and events of a watch are kinds of each group; one is enough to know.
		fmt.Fprintf(out, "kind %s %s%s", t.name, t.apiVersions[len(t.apiVersions)-1], atomic)
		if list {
			out.WriteString(" list")
		}
	} else {
		fmt.Fprintf(out, "type %s%s", t.name, atomic)
	}
	out.WriteString("\n")
	for _, field := range t.fields {
		if len(t.apiVersions) > 0 && (field.name == "apiVersion" || field.name == "kind") {
			continue
		}
		fmt.Fprintf(out, " %s\n", field.text())
	}
}
