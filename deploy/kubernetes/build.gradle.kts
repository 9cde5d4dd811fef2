dependencies {
    testImplementation(project(":deploy:cli"))
    testImplementation(project(path = ":deploy:server", configuration = "testJar"))
    testImplementation(libs.helm.java)
    testImplementation(libs.kubernetes.client)
    testImplementation(libs.kubernetes.server.mock)
    testImplementation(libs.jackson.dataformat.yaml)
}

// the chart is what this module holds
tasks.jar {
    from("colony") {
        into("colony")
    }
}
