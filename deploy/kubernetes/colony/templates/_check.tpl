{{/* What values.schema.json cannot say, because it concerns more than one value. */}}
{{- define "colony.check" -}}
{{- $tags := dict "image.tag" .Values.image.tag "model.sidecar.image.tag" .Values.model.sidecar.image.tag "redis.trial.image.tag" .Values.redis.trial.image.tag -}}
{{- range $key, $tag := $tags -}}
{{- if eq $tag "latest" -}}
{{- fail (printf "%s: latest is another version tomorrow; name one" $key) -}}
{{- end -}}
{{- end -}}
{{- if contains "@" .Values.redis.url -}}
{{- fail "redis.url: leave user and password out of it; redis.user and redis.passwordSecret name them" -}}
{{- end -}}
{{- if contains "@" .Values.model.url -}}
{{- fail "model.url: leave user and password out of it; model.keySecret names the token" -}}
{{- end -}}
{{- range .Values.nodes.env -}}
{{- if regexMatch "://[^/]*@" (default "" .value) -}}
{{- fail (printf "nodes.env: %s holds a URL with user and password; take it from a Secret by valueFrom" .name) -}}
{{- end -}}
{{- end -}}
{{- $ways := list -}}
{{- if .Values.redis.trial.enabled }}{{ $ways = append $ways "redis.trial.enabled" }}{{ end -}}
{{- if .Values.redis.url }}{{ $ways = append $ways "redis.url" }}{{ end -}}
{{- if .Values.redis.urlSecret.name }}{{ $ways = append $ways "redis.urlSecret.name" }}{{ end -}}
{{- if not $ways -}}
{{- fail "redis: name a server with redis.url or redis.urlSecret.name, or set redis.trial.enabled" -}}
{{- end -}}
{{- if gt (len $ways) 1 -}}
{{- fail (printf "redis: %s name two servers; keep one" (join " and " $ways)) -}}
{{- end -}}
{{- if and .Values.redis.trial.enabled .Values.redis.user -}}
{{- fail "redis.user: the trial server has the default user only" -}}
{{- end -}}
{{- if and .Values.redis.urlSecret.name (or .Values.redis.user .Values.redis.passwordSecret.name) -}}
{{- fail "redis.urlSecret: user and password stand in its URL; empty redis.user and redis.passwordSecret.name" -}}
{{- end -}}
{{- range .Values.model.replicas.servers -}}
{{- if contains "@" . -}}
{{- fail "model.replicas.servers: leave user and password out of it; model.keySecret names the token" -}}
{{- end -}}
{{- end -}}
{{- if contains " and " (include "colony.modelListed" .) -}}
{{- fail (printf "model.replicas: %s each name the servers; keep one" (include "colony.modelListed" .)) -}}
{{- end -}}
{{- if and .Values.model.kvEvents.replayPort (not .Values.model.kvEvents.port) -}}
{{- fail "model.kvEvents.replayPort: name the port of the events in model.kvEvents.port too" -}}
{{- end -}}
{{- if and .Values.model.kvEvents.port (eq (include "colony.modelServer" .) "embedded") -}}
{{- fail "model.kvEvents: the embedded replica publishes none; name a server with model.url or model.replicas, or set model.sidecar.enabled" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (regexMatch "^https?://_" .Values.model.replicas.dns) (not .Values.networkPolicy.modelPorts) -}}
{{- fail "networkPolicy.modelPorts: name the ports of the servers in the SRV records of model.replicas.dns, which the chart does not see" -}}
{{- end -}}
{{- if and .Values.model.url .Values.model.sidecar.enabled -}}
{{- fail "model: model.url and model.sidecar.enabled name two servers; keep one" -}}
{{- end -}}
{{- if and .Values.model.sidecar.enabled (not .Values.model.name) -}}
{{- fail "model.name: name the model that the sidecar is to serve" -}}
{{- end -}}
{{- if and .Values.monitor.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "monitor: the network policy lets no pod read the metrics; name Prometheus in networkPolicy.metricsFrom" -}}
{{- end -}}
{{- with .Values.api.oidc -}}
{{- if and (or .issuer .jwksUrl .audience) (not (and .issuer .jwksUrl .audience)) -}}
{{- fail "api.oidc: issuer, jwksUrl and audience go together; name all of them or none" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.api.enabled (not .Values.api.keysSecret.name) (not .Values.api.oidc.issuer) -}}
{{- fail "api: name the Secret with the keys in api.keysSecret.name, or whose tokens are taken in api.oidc" -}}
{{- end -}}
{{- $least := .Values.nodes.replicas -}}
{{- $key := "nodes.replicas" -}}
{{- if .Values.autoscaling.enabled -}}
{{- $least = .Values.autoscaling.minReplicas -}}
{{- $key = "autoscaling.minReplicas" -}}
{{- if gt (int $least) (int .Values.autoscaling.maxReplicas) -}}
{{- fail (printf "autoscaling.maxReplicas (%v) must be at least autoscaling.minReplicas (%v)" .Values.autoscaling.maxReplicas $least) -}}
{{- end -}}
{{- end -}}
{{- if gt (int .Values.nodes.clusterSize) (int $least) -}}
{{- fail (printf "nodes.clusterSize (%v) must be at most %s (%v), or no cluster forms" .Values.nodes.clusterSize $key $least) -}}
{{- end -}}
{{- if lt (int .Values.nodes.terminationGracePeriodSeconds) (add (int .Values.nodes.drainSeconds) (int .Values.nodes.modelCallGraceSeconds) 30) -}}
{{- fail (printf "nodes.terminationGracePeriodSeconds (%v) must be at least nodes.drainSeconds (%v), nodes.modelCallGraceSeconds (%v) and the 30 s of a clean stop" .Values.nodes.terminationGracePeriodSeconds .Values.nodes.drainSeconds .Values.nodes.modelCallGraceSeconds) -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled .Values.redis.urlSecret.name (not .Values.networkPolicy.redisPorts) -}}
{{- fail "networkPolicy.redisPorts: name the ports of the URL in redis.urlSecret, which the chart does not see" -}}
{{- end -}}
{{- with .Values.payloads -}}
{{- if and .claim .bucket -}}
{{- fail "payloads: payloads.claim and payloads.bucket name two stores; keep one" -}}
{{- end -}}
{{- if and .bucket (not .secret) -}}
{{- fail "payloads.secret: name the Secret with the keys to payloads.bucket" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.tls.secret .Values.tls.insecure -}}
{{- fail "tls: tls.secret asks for TLS between nodes and tls.insecure for none; keep one" -}}
{{- end -}}
{{- if not (or .Values.tls.secret .Values.tls.insecure) -}}
{{- fail "tls: name the Secret with the nodes' certificate in tls.secret, or set tls.insecure=true to let nodes speak without TLS" -}}
{{- end -}}
{{- end }}
