{{/* The environment of a node. Kubernetes puts $(NAME) in from variables that stand before. */}}
{{- define "colony.env" -}}
- name: COLONY_NODE_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: COLONY_NODE_HOST
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
- name: COLONY_NODE_INDEX
  valueFrom:
    fieldRef:
      fieldPath: metadata.labels['apps.kubernetes.io/pod-index']
- name: COLONY_NODE_DISCOVERY
  value: kubernetes-api
- name: COLONY_CLUSTER_SIZE
  value: {{ .Values.nodes.clusterSize | quote }}
- name: COLONY_NODE_JOIN_TIMEOUT
  value: {{ .Values.nodes.joinSeconds }}s
- name: COLONY_AGENT_MODEL_CALL_GRACE
  value: {{ .Values.nodes.modelCallGraceSeconds }}s
- name: COLONY_CONFIG
  value: /etc/colony/config/colony.conf
- name: COLONY_LOG_FORMAT
  value: {{ .Values.nodes.logFormat }}
{{- with .Values.nodes.javaOptions }}
- name: JDK_JAVA_OPTIONS
  value: {{ . | quote }}
{{- end }}
{{- if .Values.redis.urlSecret.name }}
- name: COLONY_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.redis.urlSecret.name }}
      key: {{ .Values.redis.urlSecret.key }}
{{- else }}
{{- with include "colony.redisPasswordSecret" . }}
- name: COLONY_REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.redis.passwordSecret.key }}
{{- end }}
- name: COLONY_REDIS_URL
  value: {{ include "colony.redisUrl" . | quote }}
{{- end }}
{{- if .Values.model.url }}
- name: COLONY_MODEL_URL
  value: {{ .Values.model.url | quote }}
{{- else if .Values.model.sidecar.enabled }}
# By the pod's address: the other nodes call it too.
- name: COLONY_MODEL_URL
  value: http://$(COLONY_NODE_HOST):8000/v1
{{- end }}
{{- with .Values.model.replicas }}
{{- with .servers }}
- name: COLONY_MODEL_SERVERS
  value: {{ join "," . | quote }}
{{- end }}
{{- with .dns }}
- name: COLONY_MODEL_DNS
  value: {{ . | quote }}
{{- end }}
{{- with .kubernetes }}
- name: COLONY_MODEL_KUBERNETES
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- with .Values.model.kvEvents }}
{{- if .port }}
- name: COLONY_MODEL_KV_EVENTS_PORT
  value: {{ .port | quote }}
{{- end }}
{{- if .replayPort }}
- name: COLONY_MODEL_KV_EVENTS_REPLAY_PORT
  value: {{ .replayPort | quote }}
{{- end }}
{{- end }}
{{- with .Values.model.name }}
- name: COLONY_MODEL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.model.keySecret }}
{{- if .name }}
- name: COLONY_MODEL_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- if .Values.api.enabled }}
# Pods have addresses of their own, and a forwarded port comes in by loopback.
- name: COLONY_HTTP_HOST
  value: 0.0.0.0
{{- if .Values.api.keysSecret.name }}
- name: COLONY_ACCESS_KEYS_FILE
  value: /etc/colony/keys/keys.json
{{- end }}
{{- with .Values.api.oidc }}
{{- if .issuer }}
- name: COLONY_ACCESS_OIDC_ISSUER
  value: {{ .issuer | quote }}
- name: COLONY_ACCESS_OIDC_JWKS_URL
  value: {{ .jwksUrl | quote }}
- name: COLONY_ACCESS_OIDC_AUDIENCE
  value: {{ .audience | quote }}
{{- end }}
{{- end }}
{{- if .Values.api.tls.secret }}
- name: COLONY_HTTP_TLS
  value: /etc/colony/api-tls
{{- end }}
{{- else }}
- name: COLONY_HTTP_ENABLED
  value: "false"
{{- end }}
{{- with .Values.payloads }}
{{- if .claim }}
- name: COLONY_PAYLOADS_STORE
  value: file:/var/lib/colony/payloads
{{- else if .bucket }}
- name: COLONY_PAYLOADS_STORE
  value: {{ .bucket | quote }}
- name: COLONY_PAYLOADS_REGION
  value: {{ .region | quote }}
{{- with .endpoint }}
- name: COLONY_PAYLOADS_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- range list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.payloads.secret }}
      key: {{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.tls.secret }}
- name: COLONY_NODE_TLS
  value: /etc/colony/tls
{{- end }}
{{- with .Values.nodes.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
