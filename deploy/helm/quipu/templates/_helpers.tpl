{{/* The name of everything: that of the release, with the chart's where it lacks it. */}}
{{- define "quipu.name" -}}
{{- if contains "quipu" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-quipu" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "quipu.labels" -}}
{{ include "quipu.chosen" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* What selectors choose by. */}}
{{- define "quipu.chosen" -}}
app.kubernetes.io/name: quipu
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The environment of server, worker and migration. */}}
{{- define "quipu.env" -}}
{{- if .Values.database.cluster.enabled }}
- name: QUIPU_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ .Values.database.cluster.loginSecret }}, key: password }
- name: QUIPU_DATABASE_URL
  value: postgresql://quipu_login:$(QUIPU_PASSWORD)@{{ include "quipu.name" . }}-database-rw/quipu?sslmode=require
{{- else }}
- name: QUIPU_DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.database.existingSecret }}, key: {{ .Values.database.key }} }
{{- with .Values.database.directKey }}
- name: QUIPU_DIRECT_URL
  valueFrom:
    secretKeyRef: { name: {{ $.Values.database.existingSecret }}, key: {{ . }} }
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* A pod that is not root, writes into two empty directories alone and speaks to no API of the cluster. */}}
{{- define "quipu.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: home
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end }}

{{- define "quipu.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- with .Values.settingsFrom }}
envFrom:
{{- range . }}
  - secretRef: { name: {{ . }} }
{{- end }}
{{- end }}
volumeMounts:
  - { name: home, mountPath: /var/lib/quipu }
  - { name: tmp, mountPath: /tmp }
{{- end }}
