// Needs the standard library alone; tools/api_facts/make-facts runs it.
module capstan.dev/api-facts

go 1.21
