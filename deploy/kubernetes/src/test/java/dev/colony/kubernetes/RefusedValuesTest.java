package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong values are refused before anything is installed, and the message says which and why. */
class RefusedValuesTest {

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          # one value of a wrong form
          {nodes: {replicas: three}}                | '/nodes/replicas': got string, want integer
          {nodes: {replicas: 0}}                    | '/nodes/replicas': minimum: got 0, want 1
          {nodes: {replica: 3}}                     | '/nodes': additional properties 'replica' not allowed
          {nodes: {logFormat: xml}}                 | '/nodes/logFormat': value must be one of 'json', 'text'
          {nodes: {resources: {limits: {memory: null}}}} | '/nodes/resources/limits': missing property
          {nodes: {spreadZones: Never}}             | '/nodes/spreadZones': value must be one of
          {nodes: {tmpSize: big}}                   | '/nodes/tmpSize': 'big' does not match pattern
          {nodes: {env: [{name: A_TOKEN, value: x}]}} | '/nodes/env/0': missing property 'valueFrom'
          {image: {digest: sha256:abc}}             | '/image/digest': 'sha256:abc' does not match pattern
          {api: {enabled: "yes"}}                   | '/api/enabled': got string, want boolean
          {api: {service: {type: ExternalName}}}    | '/api/service/type': value must be one of
          {api: {keysSecret: {name: "A"}}}          | '/api/keysSecret/name': 'A' does not match pattern
          {api: {oidc: {jwksUrl: "http://issuer/keys"}}} | '/api/oidc/jwksUrl': 'http://issuer/keys' does not match pattern
          {redis: {url: "http://redis:6379"}}       | '/redis/url': 'http://redis:6379' does not match pattern
          {redis: {password: hunter2}}              | '/redis': additional properties 'password' not allowed
          {model: {url: "vllm:8000"}}               | '/model/url': 'vllm:8000' does not match pattern
          {model: {apiKey: hunter2}}                | '/model': additional properties 'apiKey' not allowed
          {networkPolicy: {apiFrom: [{cidr: 10.0.0.0/8}]}} | '/networkPolicy/apiFrom/0'
          {networkPolicy: {redisTo: [{cidr: 10.0.0.0/8}]}} | '/networkPolicy/redisTo/0'
          {networkPolicy: {apiServerPorts: []}}     | '/networkPolicy/apiServerPorts': minItems: got 0, want 1
          {networkPolicy: {redisPorts: [redis]}}    | '/networkPolicy/redisPorts/0': got string, want integer
          {networkPolicy: {extraEgress: [{from: []}]}} | '/networkPolicy/extraEgress/0'
          {tls: {insecure: "yes"}}                  | '/tls/insecure': got string, want boolean
          {disruption: {maxUnavailable: 50%}}       | '/disruption/maxUnavailable': got string, want integer
          {monitor: {interval: often}}              | '/monitor/interval': 'often' does not match pattern
          # values that do not go together
          {image: {tag: latest}}                    | image.tag: latest is another version tomorrow; name one
          {redis: {url: "redis://u:p@redis:6379", trial: {enabled: false}}} | redis.url: leave user and password out of it
          {redis: {trial: {enabled: false}}}        | redis: name a server with redis.url or redis.urlSecret.name, or set redis.trial.enabled
          {redis: {url: "redis://redis:6379"}}      | redis: redis.trial.enabled and redis.url name two servers; keep one
          {redis: {user: colony}}                   | redis.user: the trial server has the default user only
          {redis: {trial: {enabled: false}, urlSecret: {name: r}, user: u}} | redis.urlSecret: user and password stand in its URL
          {model: {url: "http://vllm:8000/v1", name: m, sidecar: {enabled: true}}} | model: model.url and model.sidecar.enabled name two servers; keep one
          {model: {url: "http://key@vllm:8000/v1"}} | model.url: leave user and password out of it
          {model: {replicas: {servers: ["http://a,http://b"]}}} | '/model/replicas/servers/0': 'http://a,http://b' does not match pattern
          {model: {replicas: {kubernetes: vllm}}}   | '/model/replicas/kubernetes': 'vllm' does not match pattern
          {model: {replicas: {servers: ["http://a"], dns: "http://b"}}} | model.replicas: servers and dns each name the servers; keep one
          {model: {replicas: {servers: ["http://key@a"]}}} | model.replicas.servers: leave user and password out of it
          {model: {replicas: {dns: "http://_llm._tcp.models"}}} | networkPolicy.modelPorts: name the ports of the servers in the SRV records
          {model: {kvEvents: {port: 5557}}}         | model.kvEvents: the embedded replica publishes none
          {model: {url: "http://vllm", kvEvents: {replayPort: 5558}}} | model.kvEvents.replayPort: name the port of the events
          {api: {oidc: {issuer: "https://issuer", audience: colony}}} | api.oidc: issuer, jwksUrl and audience go together
          {api: {keysSecret: {name: ""}}}           | api: name the Secret with the keys in api.keysSecret.name, or whose tokens are taken in api.oidc
          {model: {sidecar: {enabled: true}}}       | model.name: name the model that the sidecar is to serve
          {nodes: {env: [{name: COLONY_REDIS_URL, value: "redis://u:p@redis:6379"}]}} | nodes.env: COLONY_REDIS_URL holds a URL with user and password
          {monitor: {enabled: true}}                | monitor: the network policy lets no pod read the metrics
          {nodes: {clusterSize: 4}}                 | nodes.clusterSize (4) must be at most nodes.replicas (3)
          {autoscaling: {enabled: true, minReplicas: 1}} | nodes.clusterSize (2) must be at most autoscaling.minReplicas (1)
          {autoscaling: {enabled: true, maxReplicas: 2}} | autoscaling.maxReplicas (2) must be at least autoscaling.minReplicas (3)
          {redis: {trial: {enabled: false}, urlSecret: {name: r}}, networkPolicy: {redisPorts: []}} | networkPolicy.redisPorts: name the ports of the URL in redis.urlSecret
          {payloads: {bucket: "http://bucket"}}     | '/payloads/bucket': 'http://bucket' does not match pattern
          {payloads: {claim: data, bucket: "s3://bucket", secret: keys}} | payloads: payloads.claim and payloads.bucket name two stores; keep one
          {payloads: {bucket: "s3://bucket"}}       | payloads.secret: name the Secret with the keys to payloads.bucket
          {tls: {secret: colony-node-tls, insecure: true}} | tls: tls.secret asks for TLS between nodes and tls.insecure for none; keep one
          {}                                        | tls: name the Secret with the nodes' certificate in tls.secret, or set tls.insecure=true
          {nodes: {drainSeconds: 60}}               | nodes.terminationGracePeriodSeconds (90) must be at least nodes.drainSeconds (60)
          {nodes: {modelCallGraceSeconds: 300}}     | nodes.drainSeconds (5), nodes.modelCallGraceSeconds (300) and the 30 s
          """)
  void theMessageSaysWhich(String values, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("values.yaml"), values);
    assertThatThrownBy(() -> ChartFolder.rendered(file)).hasMessageContaining(message);
  }
}
