package dev.colony.bench.build;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.stream.Stream;

/** The arrows of docs/architecture.md. */
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

  @ArchTest
  static final ArchRule modulesPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("bench")
          .definedBy("dev.colony.bench..")
          .layer("image")
          .definedBy("dev.colony.image..")
          .layer("cli")
          .definedBy("dev.colony.cli..")
          .layer("server")
          .definedBy("dev.colony.server..")
          .layer("agent-runtime")
          .definedBy("dev.colony.agent..")
          .layer("vcm-cache")
          .definedBy("dev.colony.vcm..")
          .layer("inference-gateway")
          .definedBy("dev.colony.inference..")
          .layer("blackboard")
          .definedBy("dev.colony.blackboard..")
          .whereLayer("bench")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("image")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("image")
          .mayOnlyAccessLayers("blackboard")
          .whereLayer("cli")
          .mayOnlyBeAccessedByLayers("bench")
          .whereLayer("server")
          .mayOnlyBeAccessedByLayers("cli", "bench")
          .whereLayer("agent-runtime")
          .mayOnlyBeAccessedByLayers("server", "cli", "bench")
          .whereLayer("vcm-cache")
          .mayOnlyBeAccessedByLayers("agent-runtime", "server", "cli", "bench")
          .whereLayer("inference-gateway")
          .mayOnlyBeAccessedByLayers("agent-runtime", "server", "cli", "bench")
          .whereLayer("blackboard")
          .mayOnlyBeAccessedByLayers(
              "vcm-cache", "agent-runtime", "server", "cli", "image", "bench");

  @ArchTest
  static final ArchRule modulesHaveNoCycles =
      SlicesRuleDefinition.slices().matching("dev.colony.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule viewsKnowNothingOfWhatIsStored =
      classes()
          .that()
          .resideInAPackage("dev.colony.agent.view")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "com.fasterxml.jackson.annotation..",
              "com.fasterxml.jackson.core..",
              "com.fasterxml.jackson.databind..",
              "dev.colony.agent.view",
              "dev.colony.agent",
              "dev.colony.agent.action",
              "dev.colony.agent.policy",
              "dev.colony.agent.stream",
              "dev.colony.agent.suspension",
              "dev.colony.blackboard",
              "dev.colony.inference");

  /** Of any two packages at most one uses the other, by however many packages in between. */
  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      SlicesRuleDefinition.slices()
          .assignedFrom(eachPackageOf("dev.colony.server", "dev.colony.cli", "dev.colony.bench"))
          .should()
          .beFreeOfCycles();

  private static SliceAssignment eachPackageOf(String... modules) {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass one) {
        String name = one.getPackageName();
        return Stream.of(modules).anyMatch(module -> (name + ".").startsWith(module + "."))
            ? SliceIdentifier.of(name)
            : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "each package of " + String.join(", ", modules);
      }
    };
  }

  private static final String[] SHELL = {
    "dev.colony.agent.runtime",
    "dev.colony.agent.inbox",
    "dev.colony.agent.entity",
    "dev.colony.agent.admission",
    "dev.colony.agent.activation"
  };

  @ArchTest
  static final ArchRule theShellOfAgentsStandsOnTheirCore =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("runtime")
          .definedBy("dev.colony.agent.runtime")
          .layer("inbox")
          .definedBy("dev.colony.agent.inbox")
          .layer("entity")
          .definedBy("dev.colony.agent.entity")
          .layer("admission")
          .definedBy("dev.colony.agent.admission")
          .layer("activation")
          .definedBy("dev.colony.agent.activation")
          .layer("core")
          .definedBy(resideInAPackage("dev.colony.agent..").and(not(resideInAnyPackage(SHELL))))
          .whereLayer("runtime")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("inbox")
          .mayOnlyBeAccessedByLayers("runtime")
          .whereLayer("entity")
          .mayOnlyBeAccessedByLayers("runtime", "inbox")
          .whereLayer("admission")
          .mayOnlyBeAccessedByLayers("runtime", "entity")
          .whereLayer("activation")
          .mayOnlyBeAccessedByLayers("runtime", "entity");

  @ArchTest
  static final ArchRule pureCoresTouchNoTechnology =
      noClasses()
          .that()
          .resideInAnyPackage(PureCores.PACKAGES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.pekko..",
              "scala..",
              "io.lettuce..",
              "java.net.http..",
              "com.sun.net.httpserver..");

  /**
   * What is durable or compared by several nodes goes by {@link
   * dev.colony.blackboard.Blackboards#clock}; what lasts within a process by {@code nanoTime}.
   */
  @ArchTest
  static final ArchRule noDecisionTakesItsTimeFromAWallClock =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.colony.blackboard..",
              "dev.colony.agent..",
              "dev.colony.vcm..",
              "dev.colony.server..",
              "dev.colony.cli..",
              "dev.colony.bench..")
          .and()
          .resideOutsideOfPackage("dev.colony.blackboard.clock")
          // The name of a file that a person looks at.
          .and()
          .doNotHaveFullyQualifiedName("dev.colony.blackboard.server.TornCommit")
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

  @ArchTest
  static final ArchRule noLayersAsPackages =
      noClasses()
          .should()
          .resideInAnyPackage(
              "..util..", "..common..", "..helper..", "..manager..", "..impl..", "..model..");
}
