{{/* What the chart sets of a node's settings, before the user's own. */}}
{{- define "colony.hocon" -}}
# Which pods are asked whether they are nodes.
pekko.discovery.kubernetes-api.pod-label-selector = {{ include "colony.podSelector" . | quote }}
# One lease for each release, or two of them in a namespace would take each other's.
pekko.cluster.split-brain-resolver.lease-majority.lease-name = {{ include "colony.leaseName" . | quote }}
{{- if eq (include "colony.modelServer" .) "embedded" }}
# Each node's embedded replica is called by the others too.
colony.inference.embedded { host = ${COLONY_NODE_HOST}, port = 8000 }
{{- end }}
{{- with .Values.redis.tls }}
{{- if .secret }}
colony.blackboard.redis.tls {
  ca-file = "/etc/colony/redis-tls/ca.crt"
  verify = {{ .verify }}
  {{- if .clientCertificate }}
  certificate-file = "/etc/colony/redis-tls/tls.crt"
  key-file = "/etc/colony/redis-tls/tls.key"
  {{- end }}
}
{{- end }}
{{- end }}
{{- with .Values.config }}
{{ . }}
{{- end }}
{{- end }}

{{/* The labels of the nodes in the form of a query. */}}
{{- define "colony.podSelector" -}}
{{- $parts := list -}}
{{- range $name, $value := include "colony.selector" (list . "node") | fromYaml -}}
{{- $parts = append $parts (printf "%s=%s" $name $value) -}}
{{- end -}}
{{ join "," $parts }}
{{- end }}

{{- define "colony.leaseName" -}}
{{ include "colony.fullname" . }}-pekko-sbr
{{- end }}

{{/* Whose model is called: url, sidecar, listed or embedded. Listed ones may stand beside the first two. */}}
{{- define "colony.modelServer" -}}
{{- if .Values.model.url }}url{{ else if .Values.model.sidecar.enabled }}sidecar{{ else if include "colony.modelListed" . }}listed{{ else }}embedded{{ end -}}
{{- end }}

{{/* By which of its values model.replicas names servers; empty where it names none. */}}
{{- define "colony.modelListed" -}}
{{- with .Values.model.replicas -}}
{{- $ways := list -}}
{{- if .servers }}{{ $ways = append $ways "servers" }}{{ end -}}
{{- if .dns }}{{ $ways = append $ways "dns" }}{{ end -}}
{{- if .kubernetes }}{{ $ways = append $ways "kubernetes" }}{{ end -}}
{{- join " and " $ways -}}
{{- end -}}
{{- end }}

{{/* The namespace of the service in model.replicas.kubernetes; empty without one. */}}
{{- define "colony.modelNamespace" -}}
{{- with .Values.model.replicas.kubernetes -}}
{{- ternary (first (splitList "/" .)) $.Release.Namespace (contains "/" .) -}}
{{- end -}}
{{- end }}
