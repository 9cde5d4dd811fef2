// The same modules and dependencies as pom.xml; BuildParityTest holds the two together.
subprojects {
    group = "dev.colony"
    version = "0.1.0-SNAPSHOT"
}

// the list of versions has no code
configure(subprojects.filter { it.path != ":agent-runtime:bom" }) {
    apply(plugin = "java-library")

    if (path.startsWith(":agent-runtime:")) {
        extensions.configure<BasePluginExtension> {
            archivesName.set(if (name == "spring-boot-starter") "colony-$name" else "agent-$name")
        }
    }
    if (path == ":inference-gateway:gateway" || path == ":inference-gateway:langchain4j") {
        extensions.configure<BasePluginExtension> {
            archivesName.set(if (name == "gateway") "inference-gateway" else "inference-$name")
        }
    }
    if (path.startsWith(":vcm-cache:")) {
        extensions.configure<BasePluginExtension> {
            archivesName.set(if (name == "pages") "vcm-cache" else "vcm-$name")
        }
    }

    extensions.configure<JavaPluginExtension> {
        toolchain {
            languageVersion.set(JavaLanguageVersion.of(25))
        }
    }

    // shipped and not used; pom.xml says of each why
    configurations.configureEach {
        exclude(group = "io.opentelemetry", module = "opentelemetry-exporter-sender-okhttp")
        exclude(group = "org.lmdbjava", module = "lmdbjava")
        exclude(group = "redis.clients", module = "jedis")
        exclude(group = "redis.clients.authentication", module = "redis-authx-core")
    }

    dependencies {
        val catalog = rootProject.libs
        "api"(platform(catalog.jackson.bom))
        "api"(platform(catalog.netty.bom))
        "api"(platform(catalog.pekko.bom))
        "testImplementation"(platform(catalog.junit.bom))
        "testImplementation"(catalog.junit.jupiter)
        "testImplementation"(catalog.assertj.core)
        "testImplementation"(catalog.awaitility)
        "testImplementation"(catalog.jqwik)
        "testImplementation"(catalog.junit.platform.launcher)
    }

    tasks.withType<JavaCompile>().configureEach {
        options.encoding = "UTF-8"
        options.release.set(21)
        options.compilerArgs.addAll(
            listOf("-parameters", "-Xlint:all,-processing,-classfile,-serial,-requires-automatic", "-Werror")
        )
    }

    // gradle test, or gradle test -Pfaults for the long kills and soaks, and nothing else, or -Preal for the tests
    // with clients and servers of others
    tasks.withType<Test>().configureEach {
        val special = arrayOf("faults", "real")
        val chosen = special.firstOrNull { project.hasProperty(it) }
        useJUnitPlatform {
            if (chosen == null) excludeTags(*special) else includeTags(chosen)
        }
        // much of a test's time is waiting; the long kills and soaks keep the processors busy by themselves
        maxParallelForks = if (chosen == null) 3 else 1
        // tests are short: the second compiler and a parallel collector cost more than they save
        jvmArgs("-Xmx2g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        jvmArgs("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED")
    }
}
