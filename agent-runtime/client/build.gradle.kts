dependencies {
    api(project(":agent-runtime:core"))
    api(project(":agent-runtime:journal"))
    testImplementation(project(":agent-runtime:testkit-board"))
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:api", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
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
