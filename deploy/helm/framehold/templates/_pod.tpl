{{/* The pod, the same for both modes but for the volume of its data. */}}
{{- define "framehold.pod" -}}
metadata:
  labels:
    {{- include "framehold.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # New settings are a rolling restart.
    checksum/settings: {{ include "framehold.settingsFile" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "framehold.serviceAccount" . }}
  # The server does not talk to Kubernetes.
  automountServiceAccountToken: false
  # Variables with the addresses of services would look like settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add .Values.shutdown.delaySeconds .Values.shutdown.drainSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if .Values.topologySpreadConstraints }}
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "framehold.selectorLabels" $ | nindent 10 }}
    {{- end }}
    {{- end }}
  containers:
    - name: framehold
      image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [server, --config, /etc/framehold/config.toml]
      env:
        # The image requires credentials by itself; here the settings file decides, which does so unless settings.auth.required is false.
        - name: FRAMEHOLD_AUTH_REQUIRED
          value: ""
        - name: POD_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        - name: POD_IP
          valueFrom: { fieldRef: { fieldPath: status.podIP } }
        {{- if eq .Values.mode "many" }}
        - name: FRAMEHOLD_NODE_ID
          value: $(POD_NAME)
        {{- if .Values.advertiseNodes }}
        - name: FRAMEHOLD_NODE_ADVERTISED_URL
          value: {{ ternary "grpc+tls" "grpc" (ne .Values.tls.secret "") }}://$(POD_IP):50052
        {{- end }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: http, containerPort: 9000 }
        - { name: grpc, containerPort: 50052 }
        {{- if .Values.postgres.enabled }}
        - { name: postgres, containerPort: 5432 }
        {{- end }}
        # For the probes. No service has it, and the network policy lets nobody else in.
        - { name: management, containerPort: 9001 }
      # Alive is the process alone, also if it is very busy; a main thread that is stuck is not. If PostgreSQL fails, a restart would not help: the node is then not ready.
      startupProbe:
        httpGet: { path: /healthz, port: management }
        periodSeconds: 2
        # Five minutes: the first node of a new version may change tables first.
        failureThreshold: 150
      livenessProbe:
        httpGet: { path: /healthz, port: management }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: management }
        # A stopping node is noticed within shutdown.delaySeconds.
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - { name: data, mountPath: /var/lib/framehold }
        - { name: tmp, mountPath: /tmp }
        - { name: settings, mountPath: /etc/framehold/config.toml, subPath: config.toml, readOnly: true }
        {{- if include "framehold.secretSources" . }}
        - { name: secrets, mountPath: /etc/framehold/secrets, readOnly: true }
        {{- end }}
        {{- if .Values.tls.secret }}
        - { name: tls, mountPath: /etc/framehold/tls, readOnly: true }
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 256Mi }
    - name: settings
      configMap: { name: {{ include "framehold.fullname" . }} }
    {{- with include "framehold.secretSources" . }}
    - name: secrets
      projected:
        # Readable for the group, which is the server's.
        defaultMode: 0440
        sources:
          {{- . | nindent 10 }}
    {{- end }}
    {{- with .Values.tls.secret }}
    - name: tls
      secret: { secretName: {{ . }}, defaultMode: 0440 }
    {{- end }}
    {{- if eq .Values.mode "many" }}
    - name: data
      {{- if .Values.cache.storageClassName }}
      ephemeral:
        volumeClaimTemplate:
          spec:
            accessModes: [ReadWriteOnce]
            storageClassName: {{ .Values.cache.storageClassName }}
            resources: { requests: { storage: {{ .Values.cache.volumeSize }} } }
      {{- else }}
      emptyDir: { sizeLimit: {{ .Values.cache.volumeSize }} }
      {{- end }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "framehold.scheme" -}}
{{- ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") -}}
{{- end -}}

{{/* The files of /etc/framehold/secrets. */}}
{{- define "framehold.secretSources" -}}
{{- if eq .Values.mode "many" -}}
{{- with .Values.catalog.passwordSecret }}{{ if .name }}
- secret: { name: {{ .name }}, items: [{ key: {{ .key }}, path: catalog-password }] }
{{- end }}{{ end }}
{{- with .Values.catalog.caSecret }}{{ if .name }}
- secret: { name: {{ .name }}, items: [{ key: {{ .key }}, path: catalog-ca.crt }] }
{{- end }}{{ end }}
{{- with .Values.storage.keysSecret }}{{ if .name }}
- secret: { name: {{ .name }}, items: [{ key: {{ .accessKey }}, path: s3-access-key }, { key: {{ .secretKey }}, path: s3-secret-key }] }
{{- end }}{{ end }}
{{- with .Values.storage.caSecret }}{{ if .name }}
- secret: { name: {{ .name }}, items: [{ key: {{ .key }}, path: s3-ca.crt }] }
{{- end }}{{ end }}
{{- end -}}
{{- end -}}
