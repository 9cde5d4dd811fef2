dependencies {
    api(project(":agent-runtime:client"))
    api(project(":agent-runtime:library"))
    api(libs.pekko.actor.typed)
    api(libs.pekko.cluster.typed) {
        exclude(group = "org.apache.pekko", module = "pekko-pki_2.13")
        exclude(group = "com.typesafe", module = "ssl-config-core_2.13")
    }
    api(libs.pekko.cluster.sharding.typed) {
        exclude(group = "org.apache.pekko", module = "pekko-pki_2.13")
        exclude(group = "com.typesafe", module = "ssl-config-core_2.13")
    }
    api(libs.pekko.persistence.typed) {
        exclude(group = "org.apache.pekko", module = "pekko-pki_2.13")
        exclude(group = "com.typesafe", module = "ssl-config-core_2.13")
        exclude(group = "org.apache.pekko", module = "pekko-persistence-query_2.13")
        exclude(group = "org.apache.pekko", module = "pekko-stream-typed_2.13")
    }
    testImplementation(project(":agent-runtime:testkit-board"))
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:api", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:journal", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:client", configuration = "testJar"))
    testImplementation(libs.pekko.actor.testkit.typed)
    testImplementation(libs.pekko.persistence.testkit)
    testImplementation(libs.pekko.persistence.tck)
    testImplementation(libs.lucene.analysis.common)
    testImplementation(libs.jgit)
    testImplementation(libs.logback.classic)
}

// Test fixtures for the other modules.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
