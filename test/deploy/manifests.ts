/** Parses the deployment files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const KUBERNETES = join(PROJECT, 'deploy/kubernetes');

interface EnvironmentVariable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

export interface Probe {
  httpGet: { path: string; port: string };
  timeoutSeconds?: number;
}

export interface Container {
  image: string;
  command?: string[];
  env: EnvironmentVariable[];
  ports?: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  lifecycle: { preStop: { exec: { command: [string, string] } } };
  resources: { requests: object; limits: object };
  securityContext: object;
}

export interface Pod {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    containers: [Container];
    securityContext: object;
    terminationGracePeriodSeconds?: number;
    volumes?: { name: string; emptyDir?: { sizeLimit?: string; medium?: string } }[];
  };
}

/** The members that tests read, of any kind of manifest. */
export interface Manifest {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  data: Record<string, string>;
  spec: {
    replicas: number;
    minAvailable: number;
    template: Pod;
    selector: Record<string, string> & { matchLabels: Record<string, string> };
    podSelector: { matchLabels: Record<string, string> };
    ports: { name: string; targetPort: string }[];
    ingress: { from: object[]; ports: { port: string }[] }[];
    rules: {
      http: {
        paths: { path: string; pathType: string; backend: { service: { name: string; port: { name: string } } } }[];
      };
    }[];
  };
}

export interface ComposeFile {
  services: Record<
    string,
    {
      image: string;
      environment?: Record<string, string | number>;
      ports?: string[];
      volumes?: string[];
      read_only?: boolean;
      stop_grace_period?: string;
    }
  >;
  volumes: Record<string, { driver_opts?: Record<string, string> } | null>;
}

/** The text of each Kubernetes file, by name. */
export function kubernetesFiles(): Map<string, string> {
  return new Map(readdirSync(KUBERNETES).map((name) => [name, readFileSync(join(KUBERNETES, name), 'utf8')]));
}

export function manifestsOf(kind: string): Manifest[] {
  const manifests = [...kubernetesFiles().values()].map((text) => parse(text) as Manifest);
  return manifests.filter((each) => each.kind === kind);
}

/** The only manifest of a kind. */
export function manifestOf(kind: string): Manifest {
  const [manifest, ...others] = manifestsOf(kind);
  if (manifest === undefined || others.length > 0) throw new Error(`There must be exactly one ${kind}`);
  return manifest;
}

export function composeFile(): ComposeFile {
  return parse(readFileSync(join(PROJECT, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeFile;
}

/** Interpolates variables like Compose, with only the secrets set. */
export const filled = (text: string) =>
  text.replaceAll(/\$\{(AUTH_JWT|FILES)_SECRET:-\}/g, 'x'.repeat(32)).replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');

/** The variables of a service. */
export function composeEnvironment({ environment = {} }: ComposeFile['services'][string]): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(String(value))]));
}
