dependencies {
    api(project(":agent-runtime:node"))
    api(project(":agent-runtime:testkit-board"))
    api(libs.lucene.analysis.common)
    api(libs.jgit)
    api(libs.hdrhistogram)
    compileOnly(libs.testcontainers)
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:api", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:client", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:library", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:node", configuration = "testJar"))
    testImplementation(libs.pekko.actor.testkit.typed)
    testImplementation(libs.pekko.persistence.query)
    testImplementation(libs.pekko.persistence.testkit)
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
