{{- define "kontor.labels" -}}
app.kubernetes.io/name: kontor
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "kontor.selector" -}}
app.kubernetes.io/name: kontor
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kontor.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* What every pod has: no rights, no token of the cluster, no variables of other services. */}}
{{- define "kontor.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "kontor.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* A mounted Secret can be read by its group; Kontor opens a key only when nobody else can. */}}
{{- define "kontor.closeKeys" -}}
- name: close-keys
  {{- include "kontor.image" . | nindent 2 }}
  command:
    - sh
    - -c
    - umask 077 && cd /secret && for file in *.key; do cat "$file" > "/run/kontor/$file"; done
  {{- include "kontor.container" . | nindent 2 }}
  volumeMounts:
    - { name: secret, mountPath: /secret, readOnly: true }
    - { name: keys, mountPath: /run/kontor }
{{- end }}

{{- define "kontor.keyVolumes" -}}
- name: secret
  secret:
    secretName: {{ .Values.keys.existingSecret }}
- name: keys
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- end }}

{{/* What API and worker have alike. */}}
{{- define "kontor.environment" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.database.existingSecret }}, key: service-url }
- { name: KONTOR_KEY_FILE, value: /run/kontor/kontor.key }
# Of the worker's volume; the API only takes declarations of banks that will have folders there.
- { name: KONTOR_BANK_FOLDERS, value: /var/lib/kontor/data/banks }
- { name: KONTOR_HOSTS, value: {{ join "," .Values.hosts | quote }} }
- { name: KONTOR_METRICS_PORT, value: "4001" }
# Only the NetworkPolicy lets others than the kubelet in.
- { name: KONTOR_METRICS_HOST, value: 0.0.0.0 }
- { name: KONTOR_METRICS_PLAIN_HTTP, value: "on" }
{{- with .Values.mail.existingSecret }}
- name: KONTOR_SMTP_URL
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: smtp-url }
{{- end }}
{{- with .Values.mail.from }}
- { name: KONTOR_MAIL_FROM, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := .Values.environment }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "kontor.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 3
{{- end }}
