{{/* The model server beside a node: started before it and stopped after it. */}}
{{- define "colony.sidecar" -}}
{{- $sidecar := .Values.model.sidecar -}}
- name: model
  image: {{ include "colony.image" (list $sidecar.image "") }}
  imagePullPolicy: {{ $sidecar.image.pullPolicy }}
  restartPolicy: Always
  securityContext:
    {{- include "colony.containerSecurity" . | nindent 4 }}
  command: [vllm, serve]
  args:
    - {{ .Values.model.name | quote }}
    - --host=0.0.0.0
    - --port=8000
    - --enable-prefix-caching
    {{- with .Values.model.kvEvents }}
    {{- if .port }}
    - {{ include "colony.kvEvents" . | printf "--kv-events-config=%s" | quote }}
    {{- end }}
    {{- end }}
    {{- with $sidecar.args }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: model
      containerPort: 8000
    {{- with .Values.model.kvEvents.port }}
    - name: kv-events
      containerPort: {{ . }}
    {{- end }}
    {{- with .Values.model.kvEvents.replayPort }}
    - name: kv-replay
      containerPort: {{ . }}
    {{- end }}
  env:
    # Its user has no home and the root file system cannot be written to.
    - name: HOME
      value: /tmp
    - name: USER
      value: colony
    - name: HF_HOME
      value: /models
    - name: VLLM_CACHE_ROOT
      value: /models/vllm
    {{- with .Values.model.keySecret }}
    {{- if .name }}
    - name: VLLM_API_KEY
      valueFrom:
        secretKeyRef:
          name: {{ .name }}
          key: {{ .key }}
    {{- end }}
    {{- end }}
    {{- with $sidecar.tokenSecret }}
    {{- if .name }}
    - name: HF_TOKEN
      valueFrom:
        secretKeyRef:
          name: {{ .name }}
          key: {{ .key }}
    {{- end }}
    {{- end }}
  startupProbe:
    httpGet: { path: /health, port: model }
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: {{ div (add (int $sidecar.startupSeconds) 9) 10 }}
  readinessProbe:
    httpGet: { path: /health, port: model }
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 3
  livenessProbe:
    httpGet: { path: /health, port: model }
    periodSeconds: 20
    timeoutSeconds: 10
    failureThreshold: 6
  resources:
    {{- toYaml $sidecar.resources | nindent 4 }}
  volumeMounts:
    - name: models
      mountPath: /models
    - name: model-tmp
      mountPath: /tmp
    - name: shared-memory
      mountPath: /dev/shm
{{- end }}

{{/* What the server is told of its KV events, of model.kvEvents. */}}
{{- define "colony.kvEvents" -}}
{{- $config := dict "enable_kv_cache_events" true "publisher" "zmq" "endpoint" (printf "tcp://*:%v" .port) -}}
{{- if .replayPort -}}
{{- $config = set $config "replay_endpoint" (printf "tcp://*:%v" .replayPort) -}}
{{- end -}}
{{- toJson $config -}}
{{- end }}
