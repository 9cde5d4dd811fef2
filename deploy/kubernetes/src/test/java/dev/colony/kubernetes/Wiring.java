package dev.colony.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.CrossVersionObjectReference;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** That the objects of a release fit together, where Kubernetes would only go without. */
final class Wiring {

  private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

  /** What Kubernetes itself puts into each namespace. */
  private static final String CLUSTER_AUTHORITY = "kube-root-ca.crt";

  static final List<Rule> ALL =
      List.of(
          new Rule("names are told apart", Wiring::names),
          new Rule("stateful sets select their own pods and no others", Wiring::ownPods),
          new Rule("selectors select a pod", Wiring::selectors),
          new Rule("ports have a name that pods know", Wiring::ports),
          new Rule("probes go to ports of their container", Wiring::probes),
          new Rule("each mount has its volume and each volume its mount", Wiring::volumes),
          new Rule("what is named is there", Wiring::references),
          new Rule("variables stand before those that hold them", Wiring::variables),
          new Rule("nodes may reach all that they call", Wiring::unreachable));

  private static final Pattern PORT = Pattern.compile(":(\\d+)(?=[,/#]|$)");

  private Wiring() {}

  private static Stream<String> names(Manifest manifest) {
    Set<String> seen = new HashSet<>();
    return manifest.objects().stream()
        .filter(object ->
            !seen.add(object.getKind() + " " + object.getMetadata().getName())
                || object.getMetadata().getName().length() > 63)
        .map(object -> object.getKind() + " " + object.getMetadata().getName());
  }

  private static Stream<String> ownPods(Manifest manifest) {
    return manifest.workloads().stream()
        .filter(set -> !manifest.selected(set.getSpec().getSelector()).equals(List.of(set)))
        .map(set -> set.getMetadata().getName());
  }

  private static Stream<String> selectors(Manifest manifest) {
    return Stream.of(
            unmet(
                manifest.all(Service.class),
                one -> manifest.selected(one.getSpec().getSelector()).size() == 1),
            unmet(
                manifest.all(PodDisruptionBudget.class),
                one -> manifest.selected(one.getSpec().getSelector()).size() == 1),
            unmet(
                manifest.all(NetworkPolicy.class),
                one -> manifest.selected(one.getSpec().getPodSelector()).size() == 1),
            unmet(manifest.all(ServiceMonitor.class), one -> monitored(manifest, one).size() == 1))
        .flatMap(lines -> lines);
  }

  /** The services that have all labels that a monitor asks for. */
  private static List<Service> monitored(Manifest manifest, ServiceMonitor monitor) {
    Map<String, String> wanted = monitor.getSpec().selector().getMatchLabels();
    return manifest.all(Service.class).stream()
        .filter(
            service -> service.getMetadata().getLabels().entrySet().containsAll(wanted.entrySet()))
        .toList();
  }

  private static Stream<String> ports(Manifest manifest) {
    Stream<String> services =
        unmet(
            manifest.all(Service.class),
            service ->
                manifest.selected(service.getSpec().getSelector()).stream()
                    .map(Manifest::ports)
                    .allMatch(known ->
                        service.getSpec().getPorts().stream()
                            .map(ServicePort::getTargetPort)
                            .map(IntOrString::getStrVal)
                            .allMatch(known::contains)));
    Stream<String> policies =
        unmet(
            manifest.all(NetworkPolicy.class),
            policy ->
                manifest.selected(policy.getSpec().getPodSelector()).stream()
                    .map(Manifest::ports)
                    .allMatch(known ->
                        policy.getSpec().getIngress().stream()
                            .flatMap(rule -> rule.getPorts().stream())
                            .map(port -> port.getPort().getStrVal())
                            .allMatch(known::contains)));
    Stream<String> monitors =
        unmet(
            manifest.all(ServiceMonitor.class),
            monitor ->
                monitored(manifest, monitor).stream()
                    .map(service ->
                        service.getSpec().getPorts().stream()
                            .map(ServicePort::getName)
                            .collect(Collectors.toSet()))
                    .allMatch(known ->
                        monitor.getSpec().endpoints().stream()
                            .map(ServiceMonitor.Endpoint::port)
                            .allMatch(known::contains)));
    return Stream.of(services, policies, monitors).flatMap(lines -> lines);
  }

  private static Stream<String> probes(Manifest manifest) {
    return manifest.workloads().stream()
        .flatMap(set ->
            Manifest.containers(set).stream()
                .filter(container ->
                    !container.getPorts().stream()
                        .map(port -> port.getName())
                        .collect(Collectors.toSet())
                        .containsAll(probed(container)))
                .map(container -> Manifest.title(set, container)));
  }

  private static Set<String> probed(Container container) {
    return Stream.of(
            container.getStartupProbe(),
            container.getReadinessProbe(),
            container.getLivenessProbe())
        .filter(Objects::nonNull)
        .flatMap(Wiring::port)
        .map(IntOrString::getStrVal)
        .collect(Collectors.toSet());
  }

  private static Stream<IntOrString> port(Probe probe) {
    return Stream.concat(
        Stream.ofNullable(probe.getHttpGet()).map(get -> get.getPort()),
        Stream.ofNullable(probe.getTcpSocket()).map(socket -> socket.getPort()));
  }

  private static Stream<String> volumes(Manifest manifest) {
    return manifest.workloads().stream()
        .filter(set ->
            !Manifest.containers(set).stream()
                .flatMap(container -> container.getVolumeMounts().stream())
                .map(VolumeMount::getName)
                .collect(Collectors.toSet())
                .equals(
                    Stream.concat(
                            Manifest.pod(set).getVolumes().stream().map(Volume::getName),
                            set.getSpec().getVolumeClaimTemplates().stream()
                                .map(claim -> claim.getMetadata().getName()))
                        .collect(Collectors.toSet())))
        .map(set -> set.getMetadata().getName());
  }

  private static Stream<String> references(Manifest manifest) {
    Set<String> services = manifest.names(Service.class);
    Set<String> accounts = manifest.names(ServiceAccount.class);
    Set<String> maps = manifest.names(ConfigMap.class);
    Stream<String> sets =
        unmet(
            manifest.workloads(),
            set ->
                services.contains(set.getSpec().getServiceName())
                    && (Manifest.pod(set).getServiceAccountName() == null
                        || accounts.contains(Manifest.pod(set).getServiceAccountName()))
                    && maps(set).allMatch(name -> maps.contains(name)));
    Stream<String> bindings =
        unmet(
            manifest.all(RoleBinding.class),
            binding ->
                manifest.names(Role.class).contains(binding.getRoleRef().getName())
                    && binding.getSubjects().stream()
                        .allMatch(subject ->
                            accounts.contains(subject.getName())
                                && ChartFolder.RELEASE.equals(subject.getNamespace())));
    Stream<String> scalers =
        unmet(
            manifest.all(HorizontalPodAutoscaler.class),
            scaler -> {
              CrossVersionObjectReference target = scaler.getSpec().getScaleTargetRef();
              return manifest.workloads().stream()
                  .anyMatch(set ->
                      set.getKind().equals(target.getKind())
                          && set.getMetadata().getName().equals(target.getName())
                          && set.getSpec().getReplicas() == null);
            });
    return Stream.of(sets, bindings, scalers).flatMap(lines -> lines);
  }

  private static Stream<String> maps(StatefulSet set) {
    return Manifest.pod(set).getVolumes().stream()
        .map(Volume::getConfigMap)
        .filter(Objects::nonNull)
        .map(map -> map.getName())
        .filter(name -> !name.equals(CLUSTER_AUTHORITY));
  }

  private static Stream<String> variables(Manifest manifest) {
    return manifest.workloads().stream()
        .flatMap(set ->
            Manifest.containers(set).stream()
                .filter(container -> !ordered(container.getEnv()))
                .map(container -> Manifest.title(set, container)));
  }

  private static boolean ordered(List<EnvVar> variables) {
    Set<String> before = new HashSet<>();
    for (EnvVar variable : variables) {
      Stream<String> used =
          REFERENCE
              .matcher(Objects.requireNonNullElse(variable.getValue(), ""))
              .results()
              .map(reference -> reference.group(1));
      if (!used.allMatch(before::contains) || !before.add(variable.getName())) {
        return false;
      }
    }
    return true;
  }

  /** Name servers, the API server, each other, and the ports in the URLs of Redis and the model. */
  private static Stream<String> unreachable(Manifest manifest) {
    Set<String> wanted = new TreeSet<>(Set.of("53/UDP", "53/TCP", "443/TCP", "6443/TCP"));
    Manifest.containers(manifest.nodes()).stream()
        .flatMap(container -> container.getPorts().stream())
        .filter(port -> !port.getName().equals("http"))
        .forEach(port -> wanted.add(port.getContainerPort() + "/TCP"));
    manifest.node().getEnv().stream()
        .filter(variable -> variable.getName().matches("COLONY_(REDIS|MODEL)_URL"))
        .map(variable -> Objects.requireNonNullElse(variable.getValue(), ":6379"))
        .flatMap(url -> PORT.matcher(url).results())
        .forEach(port -> wanted.add(port.group(1) + "/TCP"));
    return manifest.all(NetworkPolicy.class).stream()
        .filter(policy ->
            manifest.selected(policy.getSpec().getPodSelector()).contains(manifest.nodes()))
        .flatMap(policy -> {
          Set<String> open =
              policy.getSpec().getEgress().stream()
                  .filter(rule -> rule.getTo().stream().allMatch(peer -> met(manifest, peer)))
                  .flatMap(rule -> rule.getPorts().stream())
                  .map(port ->
                      port.getPort().getIntVal()
                          + "/"
                          + Objects.requireNonNullElse(port.getProtocol(), "TCP"))
                  .collect(Collectors.toSet());
          return wanted.stream().filter(port -> !open.contains(port));
        });
  }

  /** A selector of pods of this namespace must mean some of the release. */
  private static boolean met(Manifest manifest, NetworkPolicyPeer peer) {
    return peer.getPodSelector() == null
        || peer.getNamespaceSelector() != null
        || !manifest.selected(peer.getPodSelector()).isEmpty();
  }

  private static <T extends HasMetadata> Stream<String> unmet(
      List<T> objects, Function<T, Boolean> met) {
    return objects.stream()
        .filter(object -> !met.apply(object))
        .map(object -> object.getKind() + " " + object.getMetadata().getName());
  }
}
