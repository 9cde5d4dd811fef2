package dev.colony.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Something that all renderings obey.
 *
 * @param violations says where it is not obeyed, one line each
 */
record Rule(String name, Function<Manifest, Stream<String>> violations) {

  /** Obeyed by each container of each pod. */
  static Rule ofContainers(String name, Predicate<Container> obeyed) {
    return new Rule(
        name,
        manifest ->
            manifest.workloads().stream()
                .flatMap(set ->
                    Manifest.containers(set).stream()
                        .filter(obeyed.negate())
                        .map(container -> Manifest.title(set, container))));
  }

  /** Obeyed by each pod. */
  static Rule ofPods(String name, Predicate<PodSpec> obeyed) {
    return new Rule(
        name,
        manifest ->
            manifest.workloads().stream()
                .filter(set -> !obeyed.test(Manifest.pod(set)))
                .map(set -> set.getMetadata().getName()));
  }

  @Override
  public String toString() {
    return name;
  }
}
