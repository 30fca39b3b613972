{{/* The settings that follow from the values, as a map of tables. */}}
{{- define "framehold.derivedSettings" -}}
{{- $storage := dict -}}
{{- $catalog := dict -}}
{{- $secrets := "/etc/framehold/secrets" -}}
{{- if eq .Values.mode "many" -}}
{{- $_ := set $catalog "url" (required "catalog.url is required in mode many: the address of PostgreSQL" .Values.catalog.url) -}}
{{- if .Values.catalog.passwordSecret.name -}}
{{- $_ := set $catalog "password_file" (printf "%s/catalog-password" $secrets) -}}
{{- end -}}
{{- if .Values.catalog.caSecret.name -}}
{{- $_ := set $catalog "ca_file" (printf "%s/catalog-ca.crt" $secrets) -}}
{{- end -}}
{{- $_ := set $storage "url" (required "storage.url is required in mode many: s3://bucket/prefix" .Values.storage.url) -}}
{{- $_ := set $storage "cache_size_gb" .Values.cache.sizeGB -}}
{{- with .Values.storage.endpoint }}{{ $_ := set $storage "s3_endpoint" . }}{{ end -}}
{{- with .Values.storage.region }}{{ $_ := set $storage "s3_region" . }}{{ end -}}
{{- if .Values.storage.keysSecret.name -}}
{{- $_ := set $storage "s3_access_key_file" (printf "%s/s3-access-key" $secrets) -}}
{{- $_ := set $storage "s3_secret_key_file" (printf "%s/s3-secret-key" $secrets) -}}
{{- end -}}
{{- if .Values.storage.caSecret.name -}}
{{- $_ := set $storage "s3_ca_file" (printf "%s/s3-ca.crt" $secrets) -}}
{{- end -}}
{{- end -}}
{{- $server := dict "drain_delay_ms" (mul .Values.shutdown.delaySeconds 1000) "drain_ms" (mul .Values.shutdown.drainSeconds 1000) "management_address" "0.0.0.0:9001" -}}
{{- $derived := dict "auth" (dict "required" true) "server" $server "storage" $storage "catalog" $catalog -}}
{{- if .Values.tls.secret -}}
{{- $_ := set $derived "tls" (dict "cert_file" "/etc/framehold/tls/tls.crt" "key_file" "/etc/framehold/tls/tls.key") -}}
{{- end -}}
{{- if .Values.postgres.enabled -}}
{{- $_ := set $derived "postgres" (dict "bind_address" "0.0.0.0:5432") -}}
{{- end -}}
{{- toJson $derived -}}
{{- end -}}

{{/*
The settings file. Strings of JSON are strings of TOML; Helm's own toToml would write whole numbers as fractions.
*/}}
{{- define "framehold.settingsFile" -}}
{{- $all := mergeOverwrite (include "framehold.derivedSettings" . | fromJson) (deepCopy .Values.settings) -}}
{{- if eq (dig "tls" "client_auth" "" $all) "required" -}}
{{- fail "tls.client_auth = required does not work here: the probes of Kubernetes have no certificate. Use optional." -}}
{{- end -}}
{{- if or (dig "server" "drain_ms" "" .Values.settings) (dig "server" "drain_delay_ms" "" .Values.settings) -}}
{{- fail "Set shutdown.delaySeconds and shutdown.drainSeconds, not settings.server.drain_delay_ms and drain_ms: terminationGracePeriodSeconds follows from them." -}}
{{- end -}}
{{- if dig "postgres" "bind_address" "" .Values.settings -}}
{{- fail "Set postgres.enabled, not settings.postgres.bind_address: the ports of pods and services follow from it." -}}
{{- end -}}
{{- if and .Values.postgres.enabled (dig "auth" "required" true $all) (not (dig "tls" "cert_file" "" $all)) -}}
{{- fail "postgres.enabled needs tls.secret: without TLS the listener refuses passwords, and credentials are required." -}}
{{- end -}}
{{- range $key, $value := $all }}
{{- if not (kindIs "map" $value) }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end }}
{{- range $table, $entries := $all }}
{{- if and (kindIs "map" $entries) $entries }}

[{{ $table }}]
{{- range $key, $value := $entries }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
