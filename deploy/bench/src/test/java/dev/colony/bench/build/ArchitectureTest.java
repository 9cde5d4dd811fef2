package dev.colony.bench.build;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The arrows of docs/concepts/architecture.md. */
@AnalyzeClasses(
    packages = "dev.colony",
    importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {

  /** Where a module is packaged before this one is tested, its tests' fixtures are a jar. */
  static final class NoTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  /** A module, its packages and the modules of ours that it may use, with all that those may. */
  private record Module(String name, String packages, String... uses) {}

  private static final List<Module> MODULES =
      List.of(
          new Module("blackboard", "dev.colony.blackboard.."),
          new Module("agent-testkit-board", "dev.colony.testkit.board..", "blackboard"),
          new Module("vcm-schedule", "dev.colony.vcm.schedule.."),
          new Module("inference-gateway", "dev.colony.inference..", "blackboard", "vcm-schedule"),
          new Module("inference-langchain4j", "dev.colony.langchain4j..", "inference-gateway"),
          new Module("vcm-cache", "dev.colony.vcm..", "blackboard", "vcm-schedule"),
          new Module("vcm-documents", "dev.colony.vcm.documents..", "vcm-cache"),
          new Module("vcm-meaning", "dev.colony.vcm.meaning..", "vcm-cache"),
          new Module("embedded-replica", "dev.colony.replica..", "inference-gateway", "vcm-cache"),
          new Module("agent-api", "dev.colony.agent..", "vcm-cache", "inference-gateway"),
          new Module("agent-core", "dev.colony.core..", "agent-api"),
          new Module("agent-journal", "dev.colony.journal..", "blackboard"),
          new Module("agent-client", "dev.colony.client..", "agent-core", "agent-journal"),
          new Module("agent-library", "dev.colony.library..", "agent-core"),
          new Module("agent-node", "dev.colony.node..", "agent-client", "agent-library"),
          new Module("agent-mcp", "dev.colony.mcp..", "agent-core"),
          new Module("agent-code", "dev.colony.code..", "agent-library"),
          new Module("spring-boot-starter", "dev.colony.spring..", "agent-client"),
          new Module("agent-testkit", "dev.colony.testkit..", "agent-node", "agent-testkit-board"),
          new Module(
              "server",
              "dev.colony.server..",
              "agent-node",
              "agent-mcp",
              "agent-code",
              "embedded-replica"),
          new Module("cli", "dev.colony.cli..", "server", "vcm-documents"),
          new Module("bench", "dev.colony.bench..", "cli", "agent-testkit"));

  @ArchTest static final ArchRule modulesPointOneWay = modulesPointOneWay();

  private static ArchRule modulesPointOneWay() {
    LayeredArchitecture layers = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (Module module : MODULES) {
      layers = layers.layer(module.name()).definedBy(classesOf(module));
    }
    // Each stands behind those that it uses.
    Map<String, Set<String>> reached = new HashMap<>();
    for (Module module : MODULES) {
      Set<String> all = new TreeSet<>(List.of(module.uses()));
      Stream.of(module.uses()).map(reached::get).forEach(all::addAll);
      reached.put(module.name(), all);
      layers =
          all.isEmpty()
              ? layers.whereLayer(module.name()).mayNotAccessAnyLayer()
              : layers.whereLayer(module.name()).mayOnlyAccessLayers(all.toArray(String[]::new));
    }
    return layers;
  }

  /** Those of its packages, less those of a module that has packages among them. */
  private static DescribedPredicate<JavaClass> classesOf(Module module) {
    String prefix = module.packages().replace("..", ".");
    String[] others =
        MODULES.stream()
            .filter(other -> other != module && other.packages().startsWith(prefix))
            .map(Module::packages)
            .toArray(String[]::new);
    DescribedPredicate<JavaClass> own = JavaClass.Predicates.resideInAPackage(module.packages());
    return others.length == 0
        ? own
        : own.and(DescribedPredicate.not(JavaClass.Predicates.resideInAnyPackage(others)));
  }

  /** Of what is not ours, each module uses only what its part needs. */
  @ArchTest
  static final ArchRule onlyTheNodeAndThePluginsOfTheJournalKnowPekko =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.colony.blackboard..",
              "dev.colony.vcm..",
              "dev.colony.inference..",
              "dev.colony.replica..",
              "dev.colony.langchain4j..",
              "dev.colony.agent..",
              "dev.colony.core..",
              "dev.colony.journal",
              "dev.colony.client..",
              "dev.colony.library..",
              "dev.colony.mcp..",
              "dev.colony.code..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.pekko..", "scala..");

  /** An agent under test runs without an actor system, by the code that runs it on a node. */
  @ArchTest
  static final ArchRule theAgentUnderTestNeedsNoActorSystem =
      noClasses()
          .that()
          .haveNameMatching(
              "dev\\.colony\\.testkit\\.(Test(Agent|Node|Inbox|Journal)|Fake\\w+|Expectation|Steps|"
                  + "KillPoint|VirtualTime|Explorer)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.pekko..", "scala..");

  @ArchTest
  static final ArchRule theTestkitKnowsNoTestFramework =
      noClasses()
          .that()
          .resideInAPackage("dev.colony.testkit..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.junit..",
              "org.assertj..",
              "org.awaitility..",
              "org.opentest4j..",
              "net.jqwik..");

  @ArchTest
  static final ArchRule onlyTheCoreWeavesClasses =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.colony.core.capability")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("net.bytebuddy..");

  /** Of any two packages at most one uses the other, by however many packages in between. */
  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      SlicesRuleDefinition.slices().assignedFrom(eachPackage()).should().beFreeOfCycles();

  private static SliceAssignment eachPackage() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass one) {
        String name = one.getPackageName();
        return name.startsWith("dev.colony.") ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "each package of ours";
      }
    };
  }

  @ArchTest
  static final ArchRule theShellOfAgentsPointsOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("runtime")
          .definedBy("dev.colony.node.runtime")
          .layer("entity")
          .definedBy("dev.colony.node.entity")
          .layer("admission")
          .definedBy("dev.colony.node.admission")
          .layer("activation")
          .definedBy("dev.colony.node.activation")
          .whereLayer("runtime")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("entity")
          .mayOnlyBeAccessedByLayers("runtime")
          .whereLayer("admission")
          .mayOnlyBeAccessedByLayers("runtime", "entity", "activation")
          .whereLayer("activation")
          .mayOnlyBeAccessedByLayers("runtime", "entity");

  /** The packages that decide and do not act: plain Java, testable without anything running. */
  private static final String[] PURE = {
    "dev.colony.blackboard",
    "dev.colony.blackboard.board",
    "dev.colony.blackboard.protocol",
    "dev.colony.vcm",
    "dev.colony.vcm.mapping",
    "dev.colony.vcm.table",
    "dev.colony.vcm.schedule",
    "dev.colony.inference",
    "dev.colony.inference.budget",
    "dev.colony.replica.lexical",
    "dev.colony.agent..",
    "dev.colony.core..",
    "dev.colony.library..",
    "dev.colony.client.wire",
    "dev.colony.client.session",
    "dev.colony.node.resumption",
    "dev.colony.node.activation",
  };

  /** Classes that decide and do not act, in packages that do. */
  private static final String PURE_CLASSES =
      "dev\\.colony\\.inference\\.gateway\\.(Admission|TenantQueue).*";

  @ArchTest
  static final ArchRule pureCoresTouchNoTechnology =
      noClasses()
          .that()
          .resideInAnyPackage(PURE)
          .or()
          .haveNameMatching(PURE_CLASSES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.pekko..",
              "scala..",
              "io.lettuce..",
              "java.net.http..",
              "com.sun.net.httpserver..",
              "io.netty..");

  @ArchTest
  static final ArchRule theScheduleIsPlainJava =
      classes()
          .that()
          .resideInAPackage("dev.colony.vcm.schedule")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java.lang..", "java.util..", "dev.colony.vcm.schedule");

  /**
   * What is durable or compared by several nodes goes by {@link
   * dev.colony.blackboard.Blackboards#clock}; what lasts within a process by {@link
   * dev.colony.blackboard.clock.MonotonicClock}.
   */
  @ArchTest
  static final ArchRule noDecisionTakesItsTimeFromAWallClock =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.colony.blackboard..",
              "dev.colony.agent..",
              "dev.colony.core..",
              "dev.colony.journal..",
              "dev.colony.client..",
              "dev.colony.library..",
              "dev.colony.node..",
              "dev.colony.vcm..",
              "dev.colony.server..",
              "dev.colony.cli..",
              "dev.colony.bench..")
          .and()
          .resideOutsideOfPackage("dev.colony.blackboard.clock")
          // The name of a file that a person looks at.
          .and()
          .doNotHaveFullyQualifiedName("dev.colony.blackboard.server.TornCommit")
          // Beside the times that the machine's file system gives.
          .and()
          .doNotHaveFullyQualifiedName("dev.colony.vcm.source.FileTreeWalk$FileStamp")
          // Beside the times that an issuer has written into its tokens.
          .and()
          .doNotHaveFullyQualifiedName("dev.colony.server.TokenVerifier")
          // Beside the clock of a store, which refuses what was signed at another time.
          .and()
          .doNotHaveFullyQualifiedName("dev.colony.blackboard.payload.S3Store")
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC")
          .orShould()
          .callMethod(Clock.class, "systemDefaultZone")
          .orShould()
          .callMethod(InstantSource.class, "system");

  /** Benches and the load of the testkit measure by it directly. */
  @ArchTest
  static final ArchRule waitsGoByTheMonotonicClock =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.colony.blackboard.clock",
              "dev.colony.inference..",
              "dev.colony.replica..",
              "dev.colony.testkit..",
              "dev.colony.bench..")
          .should()
          .callMethod(System.class, "nanoTime");

  @ArchTest
  static final ArchRule noLayersAsPackages =
      noClasses()
          .should()
          .resideInAnyPackage(
              "..util..", "..common..", "..helper..", "..manager..", "..impl..", "..model..");
}
