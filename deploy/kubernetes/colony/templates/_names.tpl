{{- define "colony.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* Who is meant, by what never changes in the life of a release: (list context component). */}}
{{- define "colony.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: colony
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "colony.labels" -}}
{{- $root := index . 0 -}}
{{ include "colony.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
{{- end }}

{{/* An image's whole name: (list image tag). */}}
{{- define "colony.image" -}}
{{- $image := index . 0 -}}
{{ $image.repository }}:{{ default (index . 1) $image.tag }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "colony.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The password's Secret: (list context) where one is used, else empty. */}}
{{- define "colony.redisPasswordSecret" -}}
{{- if .Values.redis.passwordSecret.name -}}
{{ .Values.redis.passwordSecret.name }}
{{- else if .Values.redis.trial.enabled -}}
{{ include "colony.fullname" . }}-redis
{{- end -}}
{{- end }}

{{/* Where Redis is, with the password as Kubernetes puts it in from the environment. */}}
{{- define "colony.redisUrl" -}}
{{- $url := .Values.redis.url -}}
{{- if .Values.redis.trial.enabled -}}
{{- $url = printf "redis://%s-redis:6379" (include "colony.fullname" .) -}}
{{- end -}}
{{- $login := .Values.redis.user -}}
{{- if include "colony.redisPasswordSecret" . -}}
{{- $login = printf "%s:$(COLONY_REDIS_PASSWORD)" $login -}}
{{- end -}}
{{- if $login -}}
{{- $url = replace "://" (printf "://%s@" $login) $url -}}
{{- end -}}
{{ $url }}
{{- end }}
